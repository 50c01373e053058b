/**
 * The scripts of `cli completion`: one for each shell, which asks the program for proposals.
 *
 * The scripts call `cli __complete SHELL =TYPED WORD…`. It prints a proposal per line, with its
 * meaning after a tab. It prints the one line
 * `:files` where the shell completes names of files. The `=` keeps an empty word from being lost.
 *
 * @module
 */

/** The shells that there is a script for. */
export const SHELLS = ["bash", "zsh", "fish", "pwsh"] as const;

/** A shell. */
type Shell = typeof SHELLS[number];

/** The scripts. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  // Bash splits words at = and : too, so the program gets the line, and the part that is replaced.
  bash: `# Completion of cli for bash. In ~/.bashrc: eval "$(cli completion bash)"
_cli_files() {
  local path
  case $1 in
    @*)
      while IFS= read -r path; do
        if [[ -d $path ]]; then
          path+=/
          compopt -o nospace
        fi
        printf -v path %q "$path"
        COMPREPLY+=("@$path")
      done < <(compgen -f -- "\${1#@}")
      ;;
    *) compopt -o default ;;
  esac
}
_cli_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _cli_files "$2"
      return
    fi
    COMPREPLY+=("$line")
  done < <(cli __complete bash "=\${COMP_WORDS[COMP_CWORD]}" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _cli_complete cli
`,
  zsh: `#compdef cli
# Completion of cli for zsh. In ~/.zshrc, after compinit: eval "$(cli completion zsh)"
_cli() {
  local -a proposals shown
  local proposal meaning
  while IFS=$'\\t' read -r proposal meaning; do
    if [[ "$proposal" == :files ]]; then
      compset -P '--*='
      compset -P '@'
      _files
      return
    fi
    proposals+=("$proposal")
    shown+=("$proposal\${meaning:+  -- $meaning}")
  done < <(cli __complete zsh "=\${(Q)PREFIX}" "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)
  (( \${#proposals} )) && compadd -l -d shown -a proposals
}
if [ "$funcstack[1]" = "_cli" ]; then
  _cli "$@"
else
  compdef _cli cli
fi
`,
  fish: `# Completion of cli for fish: cli completion fish > ~/.config/fish/completions/cli.fish
function __cli_complete
    set -l words (commandline -opc)
    set -l lines (cli __complete fish "="(commandline -ct) $words[2..-1] 2>/dev/null)
    if test "$lines" = :files
        set -l before (string match -r -- '^(?:--[\\w-]+=)?@?' (commandline -ct))
        set -l typed (string sub -s (math (string length -- "$before") + 1) -- (commandline -ct))
        for path in (__fish_complete_path "$typed")
            echo "$before$path"
        end
    else
        printf '%s\\n' $lines
    end
end
complete -c cli -f -a '(__cli_complete)'
`,
  pwsh:
    `# Completion of cli for PowerShell. In $PROFILE: cli completion pwsh | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName cli -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($null -ne $_.Value) { "$($_.Value)" } else { $_.Extent.Text } })
    $typed = $wordToComplete.Trim("'", '"')
    & cli __complete pwsh "=$typed" @words 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
        $proposal, $meaning = $_ -split "\`t", 2
        $shown = if ($meaning) { "$meaning" } else { $proposal }
        $text = if ($proposal -match '^[\\w./:=+-]+$') { $proposal }
        else { "'" + $proposal.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new(
            $text, $proposal, 'ParameterValue', $shown)
    }
}
`,
};
