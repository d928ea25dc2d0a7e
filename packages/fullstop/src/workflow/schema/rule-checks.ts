import { type RuleSpot, refuse } from './rule-spot.js';

/** Python's idea of an identifier, close enough: letters, digits and underscores of any script. */
export function isIdentifier(text: string): boolean {
  return /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u.test(text);
}

/** `step.output.field`: at least three parts, the first one a name. */
export function checkDottedSource(spot: RuleSpot, source: string): void {
  const parts = source.split('.');
  if (parts.length < 3) {
    refuse(spot, 'source', `The source '${source}' must look like step.output.field (minimum 3 parts)`);
  } else if (!isIdentifier(parts[0] ?? '')) {
    refuse(spot, 'source', `The source '${source}' must start with the name of a step or with workflow`);
  }
}

export function isPathLike(entry: string): boolean {
  return /^[.~]/.test(entry) || /[\\/]/.test(entry);
}

const builtInSkills: readonly string[] = ['conductor', 'fullstop'];

export function checkSkills(spot: RuleSpot, skills: readonly string[]): void {
  for (const skill of skills) {
    if (isPathLike(skill) || builtInSkills.includes(skill)) continue;
    refuse(spot, 'skills', `The skill '${skill}' is neither built in (${builtInSkills.join(', ')}) nor a path`);
  }
}

export function checkPlugins(spot: RuleSpot, plugins: readonly { readonly name: string }[]): void {
  const names = plugins.map(({ name }) => name.trim());
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) refuse(spot, 'plugins', `The plugin '${twice}' is listed twice`);
}
