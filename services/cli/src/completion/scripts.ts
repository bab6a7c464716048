/** Shells that completion is there for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * What a shell runs to complete `crate`: each asks the program itself, whose answer is a candidate a line, with what it
 * is behind a tab, and at the end `:0` where names of files fit, else `:4`, as kubectl has it from its plugins.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for crate. To have it in every shell: crate completion bash > ~/.local/share/bash-completion/completions/crate
_crate() {
  local line="\${COMP_LINE:0:COMP_POINT}" out value current
  local -a words
  read -ra words <<<"$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  out="$("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)" || return 0
  # Bash takes = and : for ends of words: what stands in front of the last one stays as it is.
  local kept="\${current%"\${current##*[=:]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    [[ -z "$value" || "$value" == :[0-9] ]] || COMPREPLY+=("\${value#"$kept"}")
  done <<<"$out"
  if [[ "\${out##*$'\\n'}" == :0 ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "\${current#"$kept"}")
  fi
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _crate crate
`,
  zsh: `#compdef crate
# zsh completion for crate. To have it in every shell: crate completion zsh > "\${fpath[1]}/_crate"
_crate() {
  local out line
  local -a values
  out="$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)" || return 1
  for line in "\${(@f)out}"; do
    case "$line" in
      ''|:4) ;;
      :0) _files ;;
      *$'\\t'*) values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      *) values+=("\${line//:/\\\\:}") ;;
    esac
  done
  (( \${#values} )) && _describe 'crate' values
}
if [[ "\${funcstack[1]}" == _crate ]]; then _crate "$@"; else compdef _crate crate; fi
`,
  fish: `# fish completion for crate. To have it in every shell: crate completion fish > ~/.config/fish/completions/crate.fish
function __crate_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':4'
            case ':0'
                __fish_complete_path "$current"
            case '*'
                echo $line
        end
    end
end
complete -c crate -f -a '(__crate_complete)'
`,
};
