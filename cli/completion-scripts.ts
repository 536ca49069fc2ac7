/** One script per shell. It asks the command for candidates, one `value<TAB>description` per line. Bash from 3.2, as on macOS. */
import { FILES } from './completion.ts';

const BASH = `_package_import() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}" found
  found="$(package-import complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)"
  if [ "$found" = '${FILES}' ]; then
    COMPREPLY=( $(compgen -f -- "$current") )
  else
    COMPREPLY=( $found )
  fi
}
complete -o filenames -F _package_import package-import`;

const ZSH = `#compdef package-import
_package_import() {
  local -a found
  found=( "\${(@f)$(package-import complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}" )
  if [[ "$found[1]" == '${FILES}' ]]; then
    _files
  else
    found=( "\${(@)found/$'\\t'/:}" )
    _describe 'package-import' found
  fi
}
compdef _package_import package-import`;

const FISH = `function __package_import
  set -l words (commandline -opc) (commandline -ct)
  set -l found (package-import complete -- $words[2..-1] 2>/dev/null)
  if test "$found" = '${FILES}'
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c package-import -f -a '(__package_import)'`;

export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
