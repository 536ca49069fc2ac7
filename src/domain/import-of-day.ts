/** What an import that was over on a day came to. */
export interface ImportOfDay {
  importId: number;
  fileName: string;
  /** `completed`, `failed` or `cancelled`. */
  status: string;
  inserted: number;
  /** Products that are not inserted. */
  notInserted: number;
  refusedFiles: number;
}
