import { createContext, type ReactNode, useContext } from 'react';
import type { Session } from '../api/contract.js';
import { useQuery } from '../api/use-query.js';
import { Failure } from '../design/notice.js';

const SessionContext = createContext<Session | undefined>(undefined);

/** Reads what the page has to know before anything else, and says why where it cannot. */
export function SessionProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { data, failure, refresh } = useQuery<Session>('/api/session');
  if (data !== undefined) return <SessionContext value={data}>{children}</SessionContext>;
  if (failure === undefined) return null;
  return (
    <main className="lonely">
      <h1>Fullstop</h1>
      <Failure failure={failure} retry={refresh} />
      {(failure.status === 401 || failure.status === 403) && (
        <p className="soft">
          Open the address that <code>fullstop dashboard</code> printed; it carries the token that lets you in.
        </p>
      )}
    </main>
  );
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('There is no session outside of the pages.');
  return session;
}
