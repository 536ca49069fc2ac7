/** One ended import, as the daily digest shows it. */
export interface ImportOfDay {
  importId: number;
  fileName: string;
  /** `completed`, `failed` or `cancelled`. */
  status: string;
  inserted: number;
  /** Products that were not inserted. */
  notInserted: number;
  refusedFiles: number;
}
