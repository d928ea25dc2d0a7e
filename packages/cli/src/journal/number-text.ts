/** `1 iteration`, `25 iterations`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1,234,567`, whatever the locale of the machine. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

/** `$2.50`, or more digits where cents would hide the amount: `$0.024`; `~$0.02` for an amount that was guessed. */
export function dollars(amount: number, estimated = false): string {
  const size = Math.abs(amount);
  const about = estimated ? '~' : '';
  if (amount !== 0 && size < 0.01) return `${about}$${Number(amount.toPrecision(2))}`;
  return `${about}$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: size < 0.1 ? 3 : 2 })}`;
}

/** `450 ms`, `12.5 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(milliseconds: number): string {
  const rounded = Math.round(milliseconds);
  if (rounded < 1000) return `${rounded} ms`;
  const tenths = Math.round(rounded / 100);
  if (tenths < 600) return `${tenths / 10} s`;
  const seconds = Math.round(rounded / 1000);
  if (seconds < 3600) return twoUnits(seconds, 60, 'min', 's');
  return twoUnits(Math.round(seconds / 60), 60, 'h', 'min');
}

function twoUnits(count: number, size: number, large: string, small: string): string {
  const rest = count % size;
  return `${grouped(Math.floor(count / size))} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/** `80%`. */
export function percent(ratio: number): string {
  return `${Number((ratio * 100).toFixed(1))}%`;
}
