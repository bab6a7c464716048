#!/bin/bash
# Sets up the platform of Crate from a temporary machine, as user data of crate.template.yaml, which puts the settings
# (CRATE_...) in front of it. Runs again at every start of the machine and goes on where it was; once the platform is up, it
# only mounts the data volume, with which the platform is taken away again.
set -euo pipefail
umask 077

readonly bundle='crate-bundle-linux-x64.tar.gz'
readonly root="${CRATE_ROOT:-}"
readonly home="$root/var/lib/crate"
readonly boot="$root/var/lib/cloud/scripts/per-boot/crate-bootstrap"
readonly log="$root/var/log/crate-bootstrap.log"
readonly attempts="${CRATE_ATTEMPTS:-3}"
readonly retries="${CRATE_RETRIES:-5}"
readonly pause="${CRATE_PAUSE_SECONDS:-30}"
# Of the stack's patience, kept for taking everything away again and for telling it.
readonly reserve="${CRATE_RESERVE_SECONDS:-1500}"

# Seconds until no more than these are left of the stack's patience.
left() { # seconds that are kept, least
  local seconds=$((deadline - $(date +%s) - $1))
  echo $((seconds > $2 ? seconds : $2))
}

# From then on the platform acts, and there is only forward. Its journal may not know yet what the databases do.
has_moved() { [[ -e $home/moved ]] || grep -qs '"pivot":' "$home/data/bootstrap.json"; }

# The stack counts from the first start. With keep, or too late to undo, it has given up when somebody starts the machine again.
set_deadline() {
  [[ $CRATE_ON_FAILURE == undo && -s $home/started ]] && ! has_moved || date +%s > "$home/started"
  deadline=$(($(cat "$home/started") + CRATE_TIMEOUT_SECONDS))
}

say() { printf '%s %s\n' "$(date -u +%FT%TZ)" "$*"; }

# As a text of JSON, without what JSON or CloudFormation would not take.
json_text() {
  local text
  text=$(tr -d '\000-\010\013-\037' <<< "$1" | tr '\n\t' '  ')
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  printf '"%s"' "${text% }"
}

# Tells the stack how it ended. The address is signed: whoever has it may say so, so it is in no log.
signal() { # status, reason, data
  printf '{"Status":"%s","Reason":%s,"UniqueId":%s,"Data":%s}' "$1" "$(json_text "${2:0:1000}")" "$(json_text "$CRATE_STACK")" "$(json_text "${3:-}")" |
    curl -sS --fail --retry "$retries" --retry-all-errors --max-time 60 -X PUT -H 'content-type:' --data-binary @- -o /dev/null "$CRATE_SIGNAL_URL"
}

# A person reads it as the failure of the stack: what, and what to do.
fail() { # reason code, message
  trap - EXIT
  local undone=''
  say "Failing: $1: $2"
  # Also what an earlier start began.
  [[ ! -d $home/data || $CRATE_ON_FAILURE != undo ]] || undone=" $(undo)"
  has_moved || let_go || say 'Failing to let go of the data volume'
  # Beside the log, as the data volume may be let go of.
  signal FAILURE "$1: $2$undone" && touch "$log.told" || say 'Cannot tell the stack'
  exit 1
}

# The stack that hears of it detaches the data volume and makes a snapshot: nothing may be using it, or be yet to be written.
let_go() {
  local platform
  mountpoint -q "$home" || return 0
  for platform in "$home/data/singleton" "$home/data/removal"; do
    [[ ! -d $platform ]] || "$home/release-$CRATE_RELEASE_SHA256/bin/crate" down --data-dir "$platform" >> "$log" 2>&1 || true
  done
  cd /
  sync -f "$home"
  umount "$home" || umount --lazy "$home"
}

undo() {
  if ! has_moved && roll_back; then
    echo 'What was made has been taken away again.'
  elif has_moved; then
    echo 'The platform has taken over, so nothing was taken away: start the machine again, and it goes on.'
  else
    echo 'What was made could not be taken away: the stack keeps the credentials for it; see the removal instructions.'
  fi
}

roll_back() {
  crate_bootstrap "$(left $((reserve / 12)) $((reserve * 5 / 6)))" --rollback 2>&1 | tee "$home/rollback.log" >> "$log" && return
  ! grep -q '^crate: HasMoved' "$home/rollback.log" || touch "$home/moved"
  return 1
}

# Written once, so that it also tells when the first start was.
keep_for_next_start() {
  mkdir -p "$home" "$(dirname "$boot")"
  [[ -e $boot ]] || install -m 0700 "$0" "$boot"
}

# Waits for the volume, makes a file system where there is none, and never over one.
mount_data() {
  local tries=0
  ! mountpoint -q "$home" || return 0
  until [[ -b $CRATE_DATA_DEVICE || -e $root$CRATE_DATA_DEVICE ]]; do
    ((++tries <= 60)) || fail DataVolumeMissing "The data volume is not at $CRATE_DATA_DEVICE after 5 minutes. See whether it is attached"
    sleep 5
  done
  [[ $(blkid -o value -s TYPE "$CRATE_DATA_DEVICE") ]] || mkfs.xfs -q "$CRATE_DATA_DEVICE"
  mount -o nodev,nosuid "$CRATE_DATA_DEVICE" "$home"
  # PostgreSQL runs as a user of its own, who has to come by here, and sees no list of it.
  chmod 0711 "$home"
}

download() { # name
  curl -sS --fail --location --proto '=https' --tlsv1.2 --retry "$retries" --retry-all-errors --retry-max-time 600 --max-time "$(left "$reserve" 1)" -o "$home/$1.part" "$CRATE_RELEASE_URL/$1" ||
    fail ReleaseUnreachable "$CRATE_RELEASE_URL/$1 cannot be had. See that the subnet reaches it, and that the release has it"
  mv "$home/$1.part" "$home/$1"
}

is_intact() { [[ -f $home/$bundle ]] && sha256sum --status --check <<< "$CRATE_RELEASE_SHA256  $home/$bundle"; }

# Two keys to one lock: the digest comes with the template, the signature with the release.
check_signature() {
  printf '%s\n' '-----BEGIN PUBLIC KEY-----' "$CRATE_RELEASE_KEY" '-----END PUBLIC KEY-----' | fold -w 64 > "$home/release.pub"
  base64 -d "$home/SHA256SUMS.sig" > "$home/SHA256SUMS.der" 2> /dev/null || true
  openssl dgst -sha256 -verify "$home/release.pub" -signature "$home/SHA256SUMS.der" "$home/SHA256SUMS" > /dev/null 2>&1 ||
    fail SignatureInvalid "SHA256SUMS of $CRATE_RELEASE_URL is not signed by ReleasePublicKey. Do not go on; ask who published the release"
  grep -qxF "$CRATE_RELEASE_SHA256  $bundle" "$home/SHA256SUMS" ||
    fail ReleaseMismatch "SHA256SUMS of $CRATE_RELEASE_URL names another digest of $bundle than ReleaseSha256. Take the template of that release"
}

fetch_release() {
  [[ ! -x $home/release-$CRATE_RELEASE_SHA256/bin/crate ]] || return 0
  download SHA256SUMS
  download SHA256SUMS.sig
  check_signature
  is_intact || download "$bundle"
  is_intact || fail ChecksumMismatch "$bundle of $CRATE_RELEASE_URL is not what was released: its SHA-256 is $(sha256sum "$home/$bundle" | cut -d ' ' -f 1). Do not go on; ask who published the release"
  rm -rf "$home/unpacked"
  # Others read and run what everybody may have.
  (
    umask 022
    mkdir "$home/unpacked"
    tar -xzf "$home/$bundle" -C "$home/unpacked" --no-same-owner --no-same-permissions
  )
  ln -sfn "release-$CRATE_RELEASE_SHA256" "$home/release"
  mv "$home/unpacked" "$home/release-$CRATE_RELEASE_SHA256"
}

# The platform lets in the address of the stack, and a machine behind a NAT gateway has another one.
check_address() {
  local own="${CRATE_MANAGEMENT_NETWORKS%%/*}" seen
  seen=$(curl -sS --fail --retry "$retries" --retry-all-errors --max-time 30 "${CRATE_ADDRESS_URL:-https://checkip.amazonaws.com}") || return 0
  [[ $seen == "$own" ]] ||
    fail SubnetNotPublic "The machine comes from $seen and not from its address $own. Take a subnet whose default route leads to an internet gateway"
}

# Secrets and the machine's right to them may be new, and a machine that was just started has none yet: tried again, as downloads are.
try_again() { # command
  local left=$retries
  until "$@"; do
    ((left-- > 0)) || return
    sleep "$pause"
  done
}

read_credentials() {
  try_again aws secretsmanager get-secret-value --region "$CRATE_REGION" --secret-id "$CRATE_CREDENTIALS_SECRET" --query SecretString --output text > "$home/key.part" ||
    fail CredentialsUnreadable "The secret with the platform's access key cannot be read. See that the machine's role and the KMS key allow it"
  mv "$home/key.part" "$home/credentials.json"
}

credential() { sed -nE "s/.*\"$1\":\"([^\"]+)\".*/\1/p" "$home/credentials.json"; } # name

# In a shell of its own: what Crate keeps from others it closes itself, and what its servers need is open to them.
crate_bootstrap() ( # seconds, further arguments
  umask 022
  local seconds=$1
  shift
  [[ $CRATE_SELF_UPGRADE != on ]] || set -- --self-upgrade "$@"
  AWS_ACCESS_KEY_ID=$(credential accessKeyId) AWS_SECRET_ACCESS_KEY=$(credential secretAccessKey) \
    timeout --foreground --kill-after=30 "$seconds" "$home/release-$CRATE_RELEASE_SHA256/bin/crate" bootstrap aws --in-place --data "$home/data" --name "$CRATE_NAME" \
    --region "$CRATE_REGION" --account "$CRATE_ACCOUNT" --permissions-boundary "$CRATE_MACHINE_BOUNDARY" \
    --releases-index "${CRATE_RELEASE_URL%/*}/releases.json" --releases-public-key "$home/release.pub" \
    --management-networks "$CRATE_MANAGEMENT_NETWORKS" --result "$home/result.json" \
    ${CRATE_PRODUCT_CODE:+--marketplace-product-code "$CRATE_PRODUCT_CODE"} "$@"
)

# The steps of the bootstrap are written down, so that trying again goes on. None has all of the time: it says itself what it
# waits for then. What hangs is ended.
set_up_platform() {
  local try seconds
  for ((try = 1; try <= attempts; try++)); do
    seconds=$(left "$reserve" 1)
    crate_bootstrap "$seconds" --timeout "$((seconds * 3 / 4 + 1))s" 2>&1 | tee "$home/attempt.log" && return
    say "Attempt $try of $attempts ended"
    (($(left "$reserve" 0) > pause)) || fail OutOfTime "The platform is not up $reserve seconds before TimeoutSeconds ($CRATE_TIMEOUT_SECONDS) end: $(last_words)"
    ((try >= attempts)) || sleep "$pause"
  done
  fail BootstrapFailed "crate bootstrap ended $attempts times with: $(last_words)"
}

# What the command said of its end: reason and message, and below them what to do.
last_words() {
  awk '/^crate: / { said = ""; told = 1 } { said = told && said != "" ? said " " $0 : $0 } END { print said }' "$home/attempt.log" | cut -c 1-700
}

hand_over() {
  try_again aws secretsmanager put-secret-value --region "$CRATE_REGION" --secret-id "$CRATE_ADMINISTRATOR_SECRET" --secret-string "file://$home/data/admin.kubeconfig" > /dev/null ||
    fail AdministratorNotKept 'The kubeconfig of the administrator cannot be written to its secret. See that the KMS key allows it'
  # A stack that has heard of a failure, or whose patience since the first start is over, waits for nothing any more, and its address ends.
  signal SUCCESS 'The platform is up' "$(cat "$home/result.json")" || [[ -e $log.told ]] || (($(date +%s) > $(stat -c %Y "$boot") + CRATE_TIMEOUT_SECONDS))
  touch "$home/done"
}

main() {
  keep_for_next_start
  exec 9> "$root/var/lib/crate.lock"
  flock -n 9 || exit 0
  exec > >(tee -a "$log") 2>&1
  trap 'fail UnexpectedError "The script ended at: $BASH_COMMAND"' EXIT
  # A machine that is stopped has not failed: it goes on with its next start.
  trap 'trap - EXIT; exit 143' HUP INT TERM
  mount_data
  local is_new=''
  if [[ ! -e $home/done ]]; then
    set_deadline
    check_address
    fetch_release
    read_credentials
    set_up_platform
    hand_over
    is_new=yes
  fi
  rm -f "$home/credentials.json"
  say "The platform is up; $home has what takes it away again"
  trap - EXIT
  # Who starts the machine after that wants to work on it.
  [[ -z $is_new ]] || shutdown -h now
}

main
