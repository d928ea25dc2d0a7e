import type { ReactNode } from 'react';
import type { RunTab } from '../../../../cli/src/dashboard/view/run-view.js';
import { ConversationTab } from './conversation-tab.js';
import { FactsTab } from './facts-tab.js';
import { JournalTab } from './journal-tab.js';
import type { TabProperties } from './tab-properties.js';
import { TimelineTab } from './timeline-tab.js';
import { WhatIfTab } from './what-if-tab.js';
import { WhyTab } from './why-tab.js';

/** The tab of a run that is open. */
export function TabContent({ tab, ...properties }: TabProperties & { readonly tab: RunTab }): ReactNode {
  switch (tab) {
    case 'why':
      return <WhyTab {...properties} />;
    case 'timeline':
      return <TimelineTab {...properties} />;
    case 'conversation':
      return <ConversationTab {...properties} />;
    case 'facts':
      return <FactsTab {...properties} />;
    case 'journal':
      return <JournalTab {...properties} />;
    case 'what-if':
      return <WhatIfTab {...properties} />;
    default:
      return tab satisfies never;
  }
}
