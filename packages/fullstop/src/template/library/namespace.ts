import type { Dict } from '../dict.js';
import { willChange } from '../evaluate/evaluation.js';
import { toRepr } from '../text/python-text.js';
import { ObjectValue, type Value } from '../value.js';

/** The result of `namespace(…)`: variables that a loop can change for those after it. */
export class NamespaceValue extends ObjectValue {
  readonly typeName = 'jinja2.utils.Namespace';
  readonly #values: Dict;

  constructor(values: Dict) {
    super();
    this.#values = values;
  }

  override attribute(name: string): Value | undefined {
    return this.#values.getText(name);
  }

  set(name: string, value: Value): void {
    willChange(this.#values);
    this.#values.setText(name, value);
  }

  override text(): string {
    return `<Namespace ${toRepr(this.#values)}>`;
  }
}
