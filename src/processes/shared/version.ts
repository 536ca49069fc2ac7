/** The one version of package.json: of the API description, `/health`, traces and the build IDs of workers. */
import manifest from '../../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
