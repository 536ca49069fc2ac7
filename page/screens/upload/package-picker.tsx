/** The choice of a package: dropped anywhere on the screen, or picked. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatBytes } from '../../../src/common/measures.ts';
import { settings } from '../../settings.ts';
import { Icon } from '../../ui/badge.tsx';
import css from './upload.module.css';

interface PackagePickerProps {
  file: File | null;
  /** True during an upload. */
  locked: boolean;
  onChoose(file: File): void;
}

export function PackagePicker({ file, locked, onChoose }: PackagePickerProps) {
  const [fault, setFault] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const choose = (files: Iterable<File>) => {
    const chosen = [...files];
    const [one] = chosen;
    if (one === undefined) return;
    const wrong =
      chosen.length > 1 ? 'Upload one package at a time.' : faultOf(one, settings().max_upload_bytes);
    setFault(wrong);
    if (wrong === null) onChoose(one);
    // An empty value lets the browser report the same file again.
    if (input.current) input.current.value = '';
  };
  useDrops(locked, setOver, choose);
  return (
    <div class={css.picker}>
      <label class={`${css.dropZone} ${isOver ? css.over : ''} ${locked ? css.locked : ''}`}>
        <Icon name="package" />
        <span class={css.dropText}>
          {file === null ? (
            <strong>Drop a package here or choose a file</strong>
          ) : (
            <>
              <strong>{file.name}</strong>
              <span class="muted number">{formatBytes(file.size)}</span>
            </>
          )}
          {!(file !== null && locked) && (
            <span class="muted">
              {file === null
                ? `ZIP export of the EU-CEG XML Creator, up to ${formatBytes(settings().max_upload_bytes)}`
                : 'Drop or choose another file to replace it'}
            </span>
          )}
        </span>
        <input
          ref={input}
          type="file"
          accept=".zip,application/zip"
          disabled={locked}
          aria-describedby="package-fault"
          onChange={(event) => choose(event.currentTarget.files ?? [])}
        />
      </label>
      <p class={`tone bad ${css.pickerFault}`} id="package-fault" role="alert">
        {fault}
      </p>
    </div>
  );
}

/** The checks of the service that need no content. */
function faultOf({ name, size }: Pick<File, 'name' | 'size'>, maxBytes: number): string | null {
  if (!/\.zip$/i.test(name)) return `“${name}” is not a package: its name does not end in .zip.`;
  if (size === 0) return `“${name}” is empty.`;
  if (size > maxBytes)
    return `“${name}” has ${formatBytes(size)}. The limit is ${formatBytes(maxBytes)}: export fewer products at a time.`;
  return null;
}

/** Listens on the whole window: the browser opens a file dropped beside the zone in place of the page. */
function useDrops(
  locked: boolean,
  setOver: (isOver: boolean) => void,
  choose: (files: File[]) => void,
): void {
  useLayoutEffect(() => {
    const onFiles = (event: DragEvent) => {
      const { type, dataTransfer } = event;
      if (!dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      dataTransfer.dropEffect = locked ? 'none' : 'copy';
      setOver(type === 'dragover' && !locked);
      if (type === 'drop' && !locked) choose([...dataTransfer.files]);
    };
    const onLeave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const end = new AbortController();
    addEventListener('dragover', onFiles, { signal: end.signal });
    addEventListener('drop', onFiles, { signal: end.signal });
    addEventListener('dragleave', onLeave, { signal: end.signal });
    return () => end.abort();
  });
}
