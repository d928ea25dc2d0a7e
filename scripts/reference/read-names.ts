/** The public names with their sentences, as an editor shows them. */
import ts from 'typescript-5.9';
import { type EntryPoint, entryPoints, publishedPackages } from '../published-packages.js';

export interface PublicMember {
  readonly name: string;
  readonly type: string;
  /** Empty where there is none. */
  readonly sentence: string;
  /** The names of the fields of its value, `?` after those that may be absent. */
  fields(): readonly string[];
}

export interface PublicName {
  readonly name: string;
  /** The first paragraph of its TSDoc; empty where there is none. */
  readonly sentence: string;
  /** The file that declares it. */
  readonly file: string;
  /** The members of an interface, in the order of their declarations. */
  members(): readonly PublicMember[];
}

export interface PublicEntry {
  /** How users import it. */
  readonly specifier: string;
  readonly names: readonly PublicName[];
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  types: [],
};

/** Reads all entries from the built declarations. */
export function readNames(): readonly PublicEntry[] {
  const entries = publishedPackages().flatMap((published) =>
    entryPoints(published).map((entry) => ({ entry, specifier: published.name + entry.subpath.slice(1) })),
  );
  const program = ts.createProgram(
    entries.map(({ entry }) => entry.types),
    options,
  );
  const checker = program.getTypeChecker();
  return entries.map(({ entry, specifier }) => ({ specifier, names: namesOf(program, checker, entry) }));
}

function namesOf(program: ts.Program, checker: ts.TypeChecker, entry: EntryPoint): readonly PublicName[] {
  const file = program.getSourceFile(entry.types);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${entry.types} is missing. Build first: npm run build`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => nameOf(checker, symbol))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

function nameOf(checker: ts.TypeChecker, exported: ts.Symbol): PublicName {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  const [declaration] = symbol.declarations ?? [];
  return {
    name: exported.name,
    sentence: sentenceOf(checker, symbol),
    file: declaration?.getSourceFile().fileName ?? '',
    members: () =>
      declaration !== undefined && ts.isInterfaceDeclaration(declaration) ? membersOf(checker, declaration) : [],
  };
}

function sentenceOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return (text.split(/\n\s*\n/)[0] ?? '').replace(/\s+/g, ' ').trim();
}

function membersOf(checker: ts.TypeChecker, declaration: ts.InterfaceDeclaration): readonly PublicMember[] {
  return declaration.members.flatMap((member) => {
    const symbol = member.name && checker.getSymbolAtLocation(member.name);
    if (symbol === undefined) return [];
    const type = ts.isPropertySignature(member) ? (member.type?.getText() ?? '') : member.getText().replace(/;$/, '');
    return [
      {
        name: symbol.name,
        type: type.replace(/\s+/g, ' '),
        sentence: sentenceOf(checker, symbol),
        fields: () => fieldsOf(checker, checker.getTypeOfSymbol(symbol)),
      },
    ];
  });
}

/** Of a union, the fields of all its members. */
function fieldsOf(checker: ts.TypeChecker, type: ts.Type): readonly string[] {
  const forms = type.isUnion() ? type.types : [type];
  const names = new Set(forms.flatMap((form) => checker.getPropertiesOfType(form).map(({ name }) => name)));
  return [...names].map((name) => {
    const found = forms.map((form) => checker.getPropertyOfType(form, name));
    const isOptional = found.some((field) => field === undefined || (field.flags & ts.SymbolFlags.Optional) !== 0);
    return isOptional ? `${name}?` : name;
  });
}
