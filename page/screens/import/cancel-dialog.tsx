import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatNumber } from '../../ui/format.ts';
import type { Summary } from './use-import.ts';

interface CancelDialogProps {
  summary: Summary;
  onClose(): void;
  onConfirm(): void;
}

/** Says what it will mean (interface §10) before it is done. */
export function CancelDialog({ summary: { id, progress }, onClose, onConfirm }: CancelDialogProps) {
  const { regulator_inserted: inserted, regulator_inserting: inserting } = progress;
  return (
    <Dialog
      title={`Cancel import ${id}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Let it go on</Button>
          <Button kind="danger" onClick={onConfirm}>
            Cancel import
          </Button>
        </>
      }
    >
      <ul class="bullets">
        <li>
          {formatNumber(inserted)}{' '}
          {inserted === 1 ? 'product is inserted, and stays so.' : 'products are inserted, and stay so.'}
        </li>
        <li>
          {formatNumber(inserting)} {inserting === 1 ? 'is under way: it' : 'are under way: each'} ends after
          its call to the regulator, as failed.
        </li>
        <li>What has not begun is not queued. The summary mail goes out, and says who has cancelled.</li>
        <li>What is left can be run again later.</li>
      </ul>
    </Dialog>
  );
}
