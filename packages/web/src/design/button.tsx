import type { ButtonHTMLAttributes, ReactNode } from 'react';

interface ButtonProperties extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly small?: boolean;
  readonly children: ReactNode;
}

export function Button({ look = 'plain', small = false, children, className, ...rest }: ButtonProperties): ReactNode {
  const names = ['button', `button-${look}`, ...(small ? ['button-small'] : []), ...(className ? [className] : [])];
  return (
    <button type="button" {...rest} className={names.join(' ')}>
      {children}
    </button>
  );
}
