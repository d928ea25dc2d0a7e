import { ObjectValue, Undefined, type Value } from '../value.js';
import { runNested } from './evaluation.js';
import type { Frame } from './frame.js';
import { Output } from './output.js';

/** A block that can be called: one of `self`, or the version below with `super`. */
class BlockReference extends ObjectValue {
  readonly typeName = 'jinja2.runtime.BlockReference';
  readonly #frame: Frame;
  readonly #name: string;
  readonly #index: number;

  constructor(frame: Frame, name: string, index: number) {
    super();
    this.#frame = frame;
    this.#name = name;
    this.#index = index;
  }

  override get callable(): boolean {
    return true;
  }

  override call(): Value {
    const out = new Output();
    const block = this.#frame.context.blocks.get(this.#name)?.[this.#index];
    runNested(() => block?.(this.#frame.root, out));
    return out.text;
  }

  override attribute(name: string): Value | undefined {
    return name === 'super' ? superReference(this.#frame, this.#name, this.#index) : undefined;
  }
}

/** The meaning of `super` inside a version of a block. */
export function superReference(frame: Frame, name: string, index: number): Value {
  if (frame.context.blocks.get(name)?.[index + 1] !== undefined) return new BlockReference(frame, name, index + 1);
  return new Undefined(() => `there is no parent block called '${name}'.`);
}

class SelfReference extends ObjectValue {
  readonly typeName = 'jinja2.runtime.TemplateReference';
  readonly #frame: Frame;

  constructor(frame: Frame) {
    super();
    this.#frame = frame;
  }

  override attribute(name: string): Value | undefined {
    return this.element(name);
  }

  override element(key: Value): Value | undefined {
    if (typeof key !== 'string' || !this.#frame.context.blocks.has(key)) return undefined;
    return new BlockReference(this.#frame, key, 0);
  }

  override text(): string {
    return '<TemplateReference None>';
  }
}

/** The meaning of `self` in a template. */
export function selfReference(frame: Frame): Value {
  return new SelfReference(frame);
}
