import { defineSignal } from '@temporalio/workflow';

export const goOn = defineSignal('go-on');
