/** What a dry run is answered with: the fate of every product file, and nothing has been stored. */
export const DRY_RUN_OUTCOMES = ['new', 'unchanged', 'changed', 'refused', 'skipped'] as const;

export type DryRunOutcome = (typeof DRY_RUN_OUTCOMES)[number];

export interface DryRunProductJson {
  xml_file: string;
  product_id: string | null;
  product_type: string | null;
  outcome: DryRunOutcome;
  changed_sections: string[];
  /** Why the file is refused or skipped. */
  reason: string | null;
  warnings: string[];
}

export interface DryRunJson {
  dry_run: true;
  products: DryRunProductJson[];
}
