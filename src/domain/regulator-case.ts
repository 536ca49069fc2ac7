/** An open case of the regulator. Its dates are in the regulator's format. */
export interface OpenCase {
  caseId: string;
  submissionDate: string;
  modifiedDate: string;
  submissionType: string;
}
