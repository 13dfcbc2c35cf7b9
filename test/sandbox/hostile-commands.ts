/**
 * 41 commands of an attacker who wants out of the sandbox, or to take the machine down with them. Data for
 * `hostile-commands.test.ts`, which runs each as role USER and then checks the world outside (`outside-world.ts`).
 *
 * A command prints ESCAPED when it has got what it wanted. One that is not meant to be killed is followed by `echo
 * TRIED`, so that a script with a mistake in it does not pass for a stopped one. `{{name}}` is replaced by what is
 * outside.
 */
import { DENIED_CALLS } from '../../src/execution/sandbox/seccomp-rules.ts'
import { must } from '../../src/platform/must.ts'

export interface HostileCommand {
  readonly name: string
  readonly command: string
  /** How it is ended; without one it ends by itself, having got nothing. */
  readonly killedBy?: 'memory' | 'disk' | 'output' | 'timeout'
}

/** Number of a system call here; perl, which every Debian has, can make any. */
function callNumber(name: string): number {
  const numbers = must(
    DENIED_CALLS.find(([denied]) => denied === name),
    `a rule for ${name}`,
  )[1].numbers
  return must(numbers[process.arch === 'arm64' ? 1 : 0], `${name} exists here`)
}

/** Number of the call `mmap`, which is allowed. */
const MAPPING = process.arch === 'arm64' ? 222 : 9

function perl(code: string): string {
  return `perl -MSocket -e '${code}'`
}

function perlCall(name: string, ...args: readonly (number | string)[]): string {
  return perl(`print "ESCAPED by ${name}\\n" if syscall(${[callNumber(name), ...args].join(', ')}) != -1`)
}

const READING: readonly HostileCommand[] = [
  {
    name: 'reads the password hashes and the home folders',
    command: 'cat /etc/shadow && echo ESCAPED; ls /root /home /var /srv && echo ESCAPED',
  },
  { name: 'reads a file outside by its path', command: 'cat {{secretFile}} && echo ESCAPED' },
  {
    name: 'reads a file outside through links and ..',
    command: `ln -s {{secretFile}} symbolic; cat symbolic && echo ESCAPED
ln {{secretFile}} hard && echo ESCAPED
cat /workspace/..{{secretFile}} ../../../../../..{{secretFile}} && echo ESCAPED`,
  },
  {
    name: 'reads a file outside through the first process',
    command:
      'cat /proc/1/root{{secretFile}} || cat /proc/1/cwd/..{{secretFile}} || cat /proc/self/root/..{{secretFile}} && echo ESCAPED',
  },
  {
    name: 'reads the workspace of another session',
    // Not through the machine's programs: to walk them takes as long as there are many, and a workspace is not among
    // them.
    command:
      'ls {{otherWorkspace}} && echo ESCAPED; cat {{otherWorkspace}}/* /workspace/../sessions/*/*; find / "(" -path /usr -o -path /proc ")" -prune -o -name only-here -print -exec echo ESCAPED ";"',
  },
  {
    name: 'reads what the server was started with',
    command: `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; env`,
  },
  {
    name: 'reads files that the server has open',
    command: `for fd in $(seq 3 300); do cat <&$fd && echo ESCAPED; done 2>/dev/null
for file in /proc/[0-9]*/fd/*; do case $file in */[0-2]) ;; *) timeout 1 head -c 1000 "$file" ;; esac; done
echo '{ "exit-code": 0 }' >&4 && echo ESCAPED; echo ready >&5 && echo ESCAPED`,
  },
  {
    name: 'reads and makes devices',
    command: `for device in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/port; do head -c 1 $device && echo ESCAPED; done
mknod disk b 254 0 && echo ESCAPED; mknod memory c 1 1 && echo ESCAPED`,
  },
]

const WRITING: readonly HostileCommand[] = [
  {
    name: 'writes into a folder outside that everybody may write to',
    command: `touch {{folder}}/written && echo ESCAPED; ln -s {{folder}} out; touch out/written && echo ESCAPED; cp /bin/true /proc/1/root{{folder}}/ && echo ESCAPED`,
  },
  {
    name: 'changes the programs of the machine',
    command: 'for path in /usr/bin /usr/local/bin /bin /lib /sbin /; do touch $path/evil && echo ESCAPED; done',
  },
  {
    name: 'changes the accounts and what runs later',
    command: `mkdir -p /var/spool/cron/crontabs /etc/cron.d /etc/systemd/system && echo ESCAPED
echo '* * * * * root touch {{folder}}/cron' > /etc/cron.d/evil && echo ESCAPED; echo 'touch {{folder}}/at' | at now && echo ESCAPED
echo 'root::0:0::/:/bin/bash' >> /etc/passwd && echo ESCAPED; rm -f /etc/passwd && echo ESCAPED; touch /etc/shadow && echo ESCAPED`,
  },
  {
    name: 'changes the kernel settings',
    command: `echo '|/bin/false' > /proc/sys/kernel/core_pattern && echo ESCAPED; echo 1 | tee /proc/sys/vm/drop_caches && echo ESCAPED
echo 1000 > /proc/1/oom_score_adj; echo -1000 > /proc/self/oom_score_adj && echo ESCAPED; hostname evil && echo ESCAPED`,
  },
  {
    name: 'makes a control group of its own',
    command: `ls /sys/fs/cgroup && echo ESCAPED; mkdir group; mount -t cgroup2 none group && echo ESCAPED; mount -t cgroup -o memory none group && echo ESCAPED`,
  },
  {
    name: 'leaves a program that lends its rights',
    command: `cp /bin/bash shell; for mode in 4755 2755 6777; do chmod $mode shell && echo ESCAPED; install -m $mode /bin/true lent$mode && echo ESCAPED; done
${perl('use Fcntl; print "ESCAPED\\n" if sysopen(my $f, "opened", O_CREAT | O_WRONLY, 04755)')}`,
  },
]

const NETWORK: readonly HostileCommand[] = [
  {
    name: 'connects to a loopback port',
    command: `(exec 3<>/dev/tcp/127.0.0.1/{{port}}) && echo ESCAPED; (exec 3<>/dev/tcp/::1/{{port}}) && echo ESCAPED`,
  },
  {
    name: 'connects to the machine and to the internet',
    command: `(exec 3<>/dev/tcp/{{hostAddress}}/{{port}}) && echo ESCAPED; (exec 3<>/dev/tcp/1.1.1.1/53) && echo ESCAPED; getent hosts example.org && echo ESCAPED`,
  },
  {
    name: 'sends datagrams',
    command: `echo hello > /dev/udp/127.0.0.1/{{udpPort}}; echo hello > /dev/udp/{{hostAddress}}/{{udpPort}}`,
  },
  {
    name: 'talks to a socket file, such as that of docker',
    command: ['{{socket}}', '/proc/1/root{{socket}}', '/var/run/docker.sock', '/run/dbus/system_bus_socket']
      .map((path) =>
        perl(`socket(my $s, AF_UNIX, SOCK_STREAM, 0); print "ESCAPED\\n" if connect($s, pack_sockaddr_un("${path}"))`),
      )
      .join('; '),
  },
  {
    name: 'talks to an abstract socket',
    command: perl(
      `socket(my $s, AF_UNIX, SOCK_STREAM, 0); print "ESCAPED\\n" if connect($s, pack("S", AF_UNIX) . "\\0{{abstractName}}")`,
    ),
  },
  {
    name: 'opens sockets to the hypervisor, the wire and the kernel',
    command: perl(
      'for my $family (40, 17, 38, 15, 31) { for my $type (1, 2, 3, 5) { print "ESCAPED by family $family\\n" if socket(my $s, $family, $type, 0) } } print "ESCAPED\\n" if socket(my $raw, AF_INET, SOCK_RAW, 1)',
    ),
  },
]

const PROCESSES: readonly HostileCommand[] = [
  {
    name: 'kills processes outside',
    command: `kill -9 {{victimPid}} && echo ESCAPED; ls -d /proc/{{victimPid}} && echo ESCAPED; kill -9 -1`,
  },
  {
    name: 'traces the first process',
    command: `${perlCall('ptrace', 16, 1, 0, 0)}; ${perlCall('ptrace', 0, 0, 0, 0)}; ${perlCall('pidfd_getfd', 0, 0, 0)}`,
  },
  {
    name: 'leaves a process in a session of its own',
    command: `setsid bash -c 'exec -a {{marker}} sleep 1000' & setsid nohup bash -c 'trap "" HUP TERM INT; exec -a {{marker}} sleep 1000' &`,
  },
  {
    name: 'leaves a process that has let go of everything',
    command: `(cd / && env -i setsid setsid bash -c 'exec -a {{marker}} sleep 1000' </dev/null >/dev/null 2>&1 &) & disown -a`,
  },
]

const RIGHTS: readonly HostileCommand[] = [
  {
    name: 'becomes another user',
    command: `su -c id root && echo ESCAPED; sudo -n id && echo ESCAPED; setpriv --reuid 0 id && echo ESCAPED; newgrp root -c id && echo ESCAPED; true`,
  },
  {
    name: 'enters new namespaces',
    command: `for kind in -U -m -p -n -i -u -C -Urm; do unshare $kind true && echo ESCAPED; done; nsenter -t 1 -a true && echo ESCAPED; nsenter -t 1 -U true && echo ESCAPED; true`,
  },
  {
    name: 'enters new namespaces by the system call',
    command: `${perlCall('clone', 0x10000011, 0, 0, 0, 0)}; ${perlCall('clone3', 'pack("Q11", 0x10000000, (0) x 10)', 88)}; ${perlCall('unshare', 0x10000000)}; ${perlCall('setns', 0, 0)}`,
  },
  {
    name: 'changes its root and mounts',
    command: `chroot / /bin/true && echo ESCAPED; ${perlCall('chroot', '"/"')}; ${perlCall('pivot_root', '"."', '"."')}
mount -t tmpfs none /workspace && echo ESCAPED; mount --bind /usr /tmp && echo ESCAPED; mount -o remount,rw /usr && echo ESCAPED; umount -l /usr && echo ESCAPED
mount -o remount,bind,rw,suid /workspace && echo ESCAPED; ${perlCall('fsopen', '"tmpfs"', 0)}; ${perlCall('open_tree', -100, '"/"', 1)}`,
  },
  {
    name: 'types into a terminal',
    command: `for tty in /dev/tty /dev/console /dev/tty1 /dev/ptmx /dev/stdin; do ${perl('if (open(my $t, "+<", shift)) { print "ESCAPED\\n" if ioctl($t, 0x5412, "x") || ioctl($t, 0x541c, "\\2") }')} $tty; done`,
  },
  {
    name: 'uses the keyring and other kernel interfaces that ordinary programs do not need',
    command: [
      perlCall('add_key', '"user"', '"name"', '"value"', 5, -3),
      perlCall('keyctl', 0, -3, 1),
      perlCall('request_key', '"user"', '"name"', 0, -3),
      perlCall('bpf', 0, '"\\0" x 128', 128),
      perlCall('perf_event_open', '"\\0" x 128', 0, -1, -1, 0),
      perlCall('userfaultfd', 1),
      perlCall('io_uring_setup', 8, '"\\0" x 256'),
      perlCall('open_by_handle_at', -100, '"\\0" x 128', 0),
      perlCall('kexec_load', 0, 0, 0, 0),
      perlCall('syslog', 3, '"\\0" x 4096', 4096),
      perlCall('personality', 0x40000),
    ].join('; '),
  },
]

/** The limits that the test sets are a small part of these attempts. */
const RESOURCES: readonly HostileCommand[] = [
  {
    name: 'starts processes without end',
    command: `spread() { (spread) & (spread) & wait; }; while :; do spread; sleep 1000 & done 2>/dev/null`,
    killedBy: 'timeout',
  },
  { name: 'takes all memory with one process', command: perl('my $all = "x" x 2_000_000_000; print "ESCAPED\\n"') },
  {
    name: 'takes all memory with many processes',
    command: `for i in $(seq 12); do ${perl('my $some = "x" x 30_000_000; sleep 100')} & done; wait`,
    killedBy: 'memory',
  },
  {
    name: 'takes memory that belongs to no process',
    command: `${perlCall('memfd_create', '"x"', 0)}; ${perlCall('shmget', 0, 1_000_000_000, 0o1777)}; ${perlCall('msgget', 0, 0o1777)}; ${perlCall('semget', 0, 32_000, 0o1777)}`,
  },
  {
    name: 'takes the asynchronous requests that the machine has for all programs',
    command: perl(
      `my $taken = "\\0" x 8; print "ESCAPED\\n" if syscall(${callNumber('io_setup')}, 60_000, $taken) != -1`,
    ),
  },
  {
    name: 'takes memory with page tables',
    // One page that is read in each 2 MiB of a mapping takes 4 KiB, which is in no process's own memory.
    command: `head -c 8M /dev/zero > mapped; ${perl(
      `open(my $f, "<", "mapped"); for (1 .. 15_000) { my $at = syscall(${MAPPING}, 0, 8 << 20, 1, 1, fileno($f), 0); unpack("P1", pack("Q", $at + ($_ << 21))) for 0 .. 3 } print "ESCAPED\\n"; sleep 20`,
    )}`,
    killedBy: 'memory',
  },
  {
    name: 'fills the memory behind /tmp, /dev/shm and /dev',
    command: `for folder in /tmp /dev/shm /dev; do head -c 200M /dev/zero > $folder/full && echo ESCAPED; rm -f $folder/full; done`,
  },
  {
    name: 'fills the disk with many files',
    command: `for i in $(seq 10000); do head -c 1M /dev/zero > file$i; sleep 0.005; done`,
    killedBy: 'disk',
  },
  {
    name: 'fills the disk with files that no folder shows',
    command: `for i in $(seq 10 200); do eval "exec $i> hidden"; rm hidden; for j in 1 2 3 4; do head -c 1M /dev/zero >&$i; done; sleep 0.01; done`,
    killedBy: 'disk',
  },
]

const FLOODS: readonly HostileCommand[] = [
  {
    name: 'fills the disk with one file',
    command:
      'head -c 1G /dev/zero > large && echo ESCAPED; : > reserved; fallocate -n -l 200M reserved && echo ESCAPED',
  },
  {
    name: 'fills the disk with empty files',
    command: perl('for (my $i = 0; ; $i++) { open(my $f, ">", "empty$i"); select(undef, undef, undef, 0.0005) }'),
    killedBy: 'disk',
  },
  { name: 'prints without end', command: 'yes "$(seq 1000)"', killedBy: 'output' },
]

export const HOSTILE_COMMANDS: readonly HostileCommand[] = [
  ...READING,
  ...WRITING,
  ...NETWORK,
  ...PROCESSES,
  ...RIGHTS,
  ...RESOURCES,
  ...FLOODS,
]
