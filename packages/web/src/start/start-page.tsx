import type { ReactNode } from 'react';
import type { WorkflowFile, WorkflowList } from '../api/contract.js';
import { useQuery } from '../api/use-query.js';
import { Link } from '../app/link.js';
import { useSession } from '../app/session.js';
import { Failure, Notice } from '../design/notice.js';
import { StartForm } from './start-form.js';

/** Starts a workflow file of the folder that the dashboard was started in. */
export function StartPage({ file }: { readonly file: string | undefined }): ReactNode {
  const { readOnly } = useSession();
  const { data, failure, refresh } = useQuery<WorkflowList>('/api/workflows');
  const files = data?.workflows ?? [];
  return (
    <div className="page start">
      <section className="panel start-files" aria-labelledby="files">
        <h1 id="files" className="panel-head start-title">
          Start a workflow
        </h1>
        {failure !== undefined && <Failure failure={failure} retry={refresh} />}
        {data === undefined && failure === undefined && <p className="list-end faint">Looking for files…</p>}
        {data !== undefined && files.length === 0 && (
          <p className="list-end soft">
            There is no workflow file in this folder. <code>fullstop init</code> writes one.
          </p>
        )}
        <ul>
          {files.map((each) => (
            <FileItem key={each.file} file={each} isChosen={each.file === file} />
          ))}
        </ul>
        {data?.complete === false && <p className="list-end faint">There are more files than are listed.</p>}
      </section>
      <section className="panel start-form" aria-label="Inputs">
        {readOnly && <Notice tone="stopped">This dashboard is read only: it starts nothing.</Notice>}
        {!readOnly && file === undefined && <p className="list-end faint">Choose a file</p>}
        {!readOnly && file !== undefined && <StartForm key={file} file={file} />}
      </section>
    </div>
  );
}

function FileItem({ file, isChosen }: { readonly file: WorkflowFile; readonly isChosen: boolean }): ReactNode {
  const story = (
    <>
      <span className="start-name">{file.name ?? file.file}</span>
      <code className="faint start-file">{file.file}</code>
      <span className="soft start-about">{file.problem ?? file.description}</span>
    </>
  );
  if (file.problem !== undefined) return <li className="start-item start-broken tone-failed">{story}</li>;
  return (
    <li>
      <Link
        className="start-item"
        to={`/start/${encodeURIComponent(file.file)}`}
        aria-current={isChosen ? 'true' : undefined}
      >
        {story}
      </Link>
    </li>
  );
}
