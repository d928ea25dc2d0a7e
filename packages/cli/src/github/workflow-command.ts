import { harmless, oneLine } from '../terminal/foreign-text.js';

/** An annotation in the words of GitHub Actions; texts of others cannot leave their place in it. */
export function workflowCommand(
  level: 'error' | 'notice' | 'warning',
  properties: Readonly<Record<string, string | number>>,
  text: string,
): string {
  const places = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`);
  return `::${level} ${places.join(',')}::${data(text)}\n`;
}

function data(text: string): string {
  return harmless(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(oneLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
