/** A case as the regulator has opened it, with its dates as the regulator writes them. */
export interface OpenCase {
  caseId: string;
  submissionDate: string;
  modifiedDate: string;
  submissionType: string;
}
