import { limits, spend } from './evaluation.js';
import { limitFault } from './fault.js';

/** Collects the text of a rendering. */
export class Output {
  text = '';
  /** Behind `extends` a child writes nothing. */
  muted = false;

  add(text: string): void {
    if (this.muted) return;
    if (this.text.length + text.length > limits.textLength) {
      throw limitFault(`more than ${limits.textLength} characters of output are refused`);
    }
    if (text.length > 32) spend(text.length >>> 5);
    this.text += text;
  }
}
