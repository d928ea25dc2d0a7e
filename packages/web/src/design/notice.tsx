import type { ReactNode } from 'react';
import type { ApiFailure } from '../api/client.js';
import type { Look } from '../api/contract.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

interface NoticeProperties {
  readonly tone: Look['tone'];
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Something that the reader has to know. */
export function Notice({ tone, children, action }: NoticeProperties): ReactNode {
  return (
    <div className={`notice tone-${tone}`} role={tone === 'failed' ? 'alert' : 'status'}>
      <Icon name={tone === 'success' ? 'done' : 'warning'} />
      <div className="notice-body">{children}</div>
      {action}
    </div>
  );
}

/** A request that failed: said as such, and never shown as an empty result. */
export function Failure({ failure, retry }: { readonly failure: ApiFailure; readonly retry?: () => void }): ReactNode {
  return (
    <Notice
      tone="failed"
      action={
        retry === undefined ? undefined : (
          <Button small onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      <strong>{failure.message}</strong> <code className="faint">{failure.code}</code>
    </Notice>
  );
}
