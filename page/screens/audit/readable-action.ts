/** `submission.regulator_inserted` as people read it: `Submission: regulator inserted`. */
export function readableAction(action: string): string {
  const [subject = '', ...rest] = action.split('.');
  const words = (text: string) => text.replaceAll(/[_-]/g, ' ');
  const said = `${subject.charAt(0).toUpperCase()}${words(subject.slice(1))}`;
  return rest.length === 0 ? said : `${said}: ${words(rest.join('.'))}`;
}
