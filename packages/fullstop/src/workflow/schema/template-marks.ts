/** Whether a text has something to render. */
export function hasTemplateMarks(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}
