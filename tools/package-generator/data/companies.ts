/** Invented companies. Their mail addresses end in `.example`, which nobody can own. */
import table from './companies.json' with { type: 'json' };

export interface CompanyDetails {
  name: string;
  address: string;
  country: string;
  phone: string;
  email: string;
}

export const COMPANIES: readonly CompanyDetails[] = table.companies;

/** A natural person or small office that represents a submitter. */
export const REPRESENTATIVES: readonly CompanyDetails[] = table.representatives;
