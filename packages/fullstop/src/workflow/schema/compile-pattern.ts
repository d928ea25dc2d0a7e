/** The regular expression of an output field's `pattern`, written in Python's syntax; undefined when it is none. */
export function compilePattern(pattern: string): RegExp | undefined {
  const [, inline = '', rest = ''] = /^(?:\(\?([aimsux]+)\))?([\s\S]*)$/.exec(pattern) ?? [];
  const flags = [...inline].filter((flag) => 'ims'.includes(flag)).join('');
  const source = rest
    .replaceAll('(?P<', '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replace(/\\([AZ])/g, (_, letter: string) => (letter === 'A' ? '(?<![\\s\\S])' : '(?![\\s\\S])'));
  for (const mode of [`${flags}u`, flags]) {
    try {
      return new RegExp(source, mode);
    } catch {
      // The stricter mode refuses harmless escapes such as \-, so the other one decides.
    }
  }
  return undefined;
}
