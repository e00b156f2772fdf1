# Makes an interactive bash tell its recorder (learning/record.py) each command line: when it starts, when it ends.
#
# A message goes through the terminal itself, so that it stands exactly where the command's output begins and ends:
#   ESC ] sopwith;TOKEN; fields separated by US, the command line last ;TOKEN BEL
# The recorder takes it out before the owner sees it. Children never learn the token. Runs on bash 3.2 (macOS) and newer:
# where there is no PS0 (before 4.4), the DEBUG trap stands in for it.

__sopwith_token=$SOPWITH_RECORD_TOKEN
__sopwith_label=$SOPWITH_RECORD_LABEL
__sopwith_armed=
unset SOPWITH_RECORD_TOKEN SOPWITH_RECORD_LABEL

[ -r ~/.bashrc ] && . ~/.bashrc # it should feel like home
export PAGER=cat GIT_PAGER=cat SYSTEMD_PAGER=cat LESSHISTFILE=- # what is paged is no output, and leaves a trace

# The list of past commands is where the text of a command line is read, so it must keep each one as it was typed.
# Nothing is written to the owner's history file: what is typed here is in the record, redacted.
builtin history -r "${HISTFILE:-$HOME/.bash_history}" 2>/dev/null
__sopwith_list() {
  unset HISTFILE HISTTIMEFORMAT
  HISTCONTROL=
  HISTIGNORE=
  [ "${HISTSIZE:-500}" -ge 100 ] 2>/dev/null || HISTSIZE=500
  shopt -s cmdhist lithist promptvars
}
history() { # prompts that write the list to its file and read it again at each command would lose it here
  case ${1-} in -[acdnrw]*) ;; *) builtin history "$@" ;; esac
}

# Sends one message: kind, exit status so far, notes.
__sopwith_say() {
  local line
  line=$(builtin history 1)
  printf '\033]sopwith;%s;%s\037%s\037%s\037%s\037%s\037%s;%s\007' \
    "$__sopwith_token" "$1" "$2" "${#line}" "$PWD" "${3-}" "$line" "$__sopwith_token" >/dev/tty
}

# The aliases and functions that the command line names: a replay does not have the owner's.
__sopwith_words() {
  local IFS=$' \t\n' line word count=0
  line=$(builtin history 1)
  set -f
  for word in ${line//[^A-Za-z0-9_.:+-]/ }; do
    case $word in
      [-+]* | history | __sopwith_*) ;;
      *)
        alias "$word" 2>/dev/null
        declare -F "$word" >/dev/null && declare -f "$word" # its text
        ;;
    esac
    [ $((count += 1)) -lt 300 ] || break
  done
}

__sopwith_start() {
  local status=$?
  __sopwith_say start "$status" "$(__sopwith_words)"
  return "$status"
}

__sopwith_end() {
  local status=$? at=@${EPOCHREALTIME-} ahead=
  read -r -t 0 </dev/tty && ahead=ahead # a line that was typed while the command ran still waits for the shell
  __sopwith_say end "$status" "$at $ahead"
  return "$status"
}

# The last thing before each prompt: puts in again what a command has taken out.
__sopwith_ready() {
  local status=$? mark
  mark="\\[\\033]sopwith;$__sopwith_token;prompt;$__sopwith_token\\007\\]"
  case ${PS1-} in *"$mark"*) ;; *) PS1=$mark$__sopwith_label${PS1-} ;; esac
  [ -n "$__sopwith_traps" ] || case ${PS0-} in *__sopwith_start*) ;; *) PS0=${PS0-}$__sopwith_before ;; esac
  __sopwith_list
  __sopwith_say ready "$status"
  return "$status"
}

# What the owner runs before a prompt becomes one text, between ours. Also after a file was sourced: it may be ~/.bashrc.
__sopwith_install() {
  local IFS=$'\n' between=${PROMPT_COMMAND[*]-}
  case $between in *__sopwith_end*) return ;; esac
  unset PROMPT_COMMAND
  PROMPT_COMMAND="{ __sopwith_end; } 2>/dev/null
$between
{ __sopwith_ready; __sopwith_armed=1; } 2>/dev/null"
}

__sopwith_trap() { # the command that is about to run
  local status=$?
  [ -n "$__sopwith_armed" ] && [ -z "${COMP_LINE-}" ] || return 0
  __sopwith_armed=
  case $1 in *__sopwith_*) ;; *) __sopwith_say start "$status" "$(__sopwith_words)" ;; esac
}

__sopwith_install
trap '{ __sopwith_install; } 2>/dev/null' RETURN
__sopwith_before='$({ __sopwith_start; } 2>/dev/null)'
__sopwith_traps=
if [ "${BASH_VERSINFO[0]}" -lt 4 ] || { [ "${BASH_VERSINFO[0]}" -eq 4 ] && [ "${BASH_VERSINFO[1]}" -lt 4 ]; }; then
  __sopwith_traps=1
  set -o functrace # else a line that is only ( … ) would start without a word
  trap '{ __sopwith_trap "$BASH_COMMAND"; } 2>/dev/null' DEBUG
fi
[ "${TERM-}" = dumb ] || __sopwith_label="\\[\\033[31m\\]$__sopwith_label\\[\\033[0m\\]"
set -o history # last: from here on, lines count as typed
