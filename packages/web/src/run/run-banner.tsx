import type { ReactNode } from 'react';
import type { Banner } from '../../../cli/src/dashboard/view/banner.js';
import { ToneIcon } from '../design/icon.js';
import { CodedText } from './text/coded-text.js';
import { shownText } from './text/shown-text.js';

interface BannerProperties {
  readonly banner: Banner;
  readonly because: readonly string[];
  /** Absent while there is no graph to show the step in. */
  readonly onStep: ((step: string) => void) | undefined;
}

/** Shows what became of the run, why, and by which step where it was explicit. */
export function RunBanner({ banner, because, onStep }: BannerProperties): ReactNode {
  const { tone, title, sentence, explicit } = banner;
  const [first] = because;
  return (
    <section className={`run-banner tone-${tone}`} role="status" aria-label="How it stands">
      <span className="run-banner-sign" aria-hidden="true">
        <ToneIcon tone={tone} size={20} />
      </span>
      <div className="run-banner-words">
        <h2>{title}</h2>
        {explicit === undefined ? (
          <p dir="auto">{shownText(sentence)}</p>
        ) : (
          <>
            <p dir="auto">
              <strong>Reason:</strong> {shownText(explicit.reason)}
            </p>
            <p className="soft">
              Terminated as {explicit.status === 'failed' ? 'a failure' : 'a success'} by{' '}
              <button
                type="button"
                className="link-button"
                disabled={onStep === undefined}
                onClick={() => onStep?.(explicit.by)}
              >
                {explicit.by}
              </button>
            </p>
          </>
        )}
        {first !== undefined && (
          <p className="soft" dir="auto">
            <CodedText text={first} />
          </p>
        )}
      </div>
    </section>
  );
}
