package io.csi4j.mount.internal.holders;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.table.KernelTable;
import io.csi4j.mount.internal.table.MountInfoParser;
import io.csi4j.mount.model.Holder;
import io.csi4j.mount.model.Holder.Use;
import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongSupplier;

/** Searches {@code /proc} and the mount table for the holders of a mount. */
public final class HolderSearch {

  /** The number of holders after which the search ends. */
  static final int MOST_HOLDERS = 256;

  /** The time after which the search ends. */
  static final Duration LONGEST = Duration.ofSeconds(2);

  private final Kernel kernel;
  private final KernelTable table;
  private final LongSupplier nanoTime;

  public HolderSearch(Kernel kernel, KernelTable table) {
    this(kernel, table, System::nanoTime);
  }

  HolderSearch(Kernel kernel, KernelTable table, LongSupplier nanoTime) {
    this.kernel = kernel;
    this.table = table;
    this.nanoTime = nanoTime;
  }

  /**
   * Returns the holders that were found, within limits of time and number; none if the mount is no
   * longer in the table.
   */
  public Holders holders(MountRef ref) {
    List<MountRecord> all = table.list().records();
    Optional<MountRecord> mount =
        all.stream().filter(each -> each.ref().identity().equals(ref.identity())).findFirst();
    if (mount.isEmpty()) {
      return new Holders(List.of(), 0, true);
    }
    return new Search(mount.get(), all).run();
  }

  /** One search for the holders of one mount. */
  private final class Search {

    private final MountRecord mount;
    private final List<MountRecord> all;
    private final long begin;
    private final List<MountPath> below;
    private final Optional<String> here;

    private final List<Holder> found = new ArrayList<>();

    /**
     * Holders that keep only the filesystem in use; they do not count against the limit of the
     * others.
     */
    private final List<Holder> others = new ArrayList<>();

    private final Set<String> namespaces = new HashSet<>();
    private int unseen;

    Search(MountRecord mount, List<MountRecord> all) {
      this.mount = mount;
      this.all = all;
      begin = nanoTime.getAsLong();
      here = new ProcessFiles(kernel.calls(), "thread-self").namespace();
      here.ifPresent(namespaces::add);
      below =
          all.stream()
              .map(MountRecord::path)
              .filter(path -> path.isWithin(mount.path()) && !path.equals(mount.path()))
              .toList();
    }

    Holders run() {
      mounts();
      boolean complete = true;
      for (long pid : ProcessFiles.all()) {
        complete = process(pid) && complete;
        if (isOver()) {
          complete = false;
          break;
        }
      }
      found.addAll(others);
      boolean isCut = found.size() > MOST_HOLDERS;
      return new Holders(
          isCut ? found.subList(0, MOST_HOLDERS) : found, unseen, complete && !isCut);
    }

    private boolean isOver() {
      return found.size() > MOST_HOLDERS || nanoTime.getAsLong() - begin > LONGEST.toNanos();
    }

    private void mounts() {
      for (MountRecord each : all) {
        if (each.id() != mount.id()) {
          if (each.parentId() == mount.id()) {
            found.add(new Holder.Child(each));
          } else if (each.device().equals(mount.device())) {
            other(new Holder.Sibling(each));
          }
        }
      }
    }

    private void other(Holder holder) {
      if (others.size() <= MOST_HOLDERS) {
        others.add(holder);
      }
    }

    /** Examines a process; returns false if there was no time. */
    private boolean process(long pid) {
      ProcessFiles files = new ProcessFiles(kernel.calls(), Long.toString(pid));
      Optional<String> namespace = files.namespace();
      if (namespace.isEmpty()) {
        unseen++;
        return true;
      }
      Set<Use> uses = EnumSet.noneOf(Use.class);
      // A descriptor that was passed on, or opened before its process changed its namespace, is
      // still in a mount of this namespace; no other mount has that number.
      boolean complete = true;
      for (String descriptor : files.descriptors()) {
        if (files.mountOf(descriptor).orElse(-1) == mount.id()) {
          uses.add(Use.OPEN_FILE);
          break;
        }
        if (isOver()) {
          complete = false;
          break;
        }
      }
      if (namespace.equals(here)) {
        use(files, "/cwd", Use.WORKING_DIRECTORY, uses);
        use(files, "/root", Use.ROOT_DIRECTORY, uses);
        use(files, "/exe", Use.PROGRAM, uses);
      }
      if (!uses.isEmpty()) {
        found.add(new Holder.RunningProcess(pid, files.command(), uses));
      }
      if (!namespaces.contains(namespace.get())) {
        namespace(pid, namespace.get(), files);
      }
      return complete;
    }

    private void use(ProcessFiles files, String link, Use use, Set<Use> uses) {
      if (files.path(link).filter(this::isOnMount).isPresent()) {
        uses.add(use);
      }
    }

    private boolean isOnMount(MountPath path) {
      return path.isWithin(mount.path()) && below.stream().noneMatch(path::isWithin);
    }

    private void namespace(long pid, String namespace, ProcessFiles files) {
      try {
        byte[] table = files.mounts();
        namespaces.add(namespace);
        for (MountRecord each : MountInfoParser.parse(table, kernel.bootId()).records()) {
          if (each.device().equals(mount.device())) {
            other(new Holder.Elsewhere(number(namespace), pid, files.command(), each.path()));
          }
        }
      } catch (IOException e) {
        // The process ended meanwhile; another process of the namespace may be found.
        unseen++;
      }
    }

    private static long number(String namespace) {
      return Long.parseLong(namespace.replaceAll("[^0-9]", ""));
    }
  }

  /**
   * The files of one process in {@code /proc}. Links are read and never followed, and its memory is
   * not accessed, so neither a hung filesystem nor a hung process is waited for.
   */
  private static final class ProcessFiles {

    private final Syscalls calls;
    private final String process;
    private final String directory;

    /**
     * Creates access to the files of a process.
     *
     * @param process its number, or {@code thread-self}
     */
    ProcessFiles(Syscalls calls, String process) {
      this.calls = calls;
      this.process = process;
      this.directory = "/proc/" + process;
    }

    /** Returns the running processes. */
    static List<Long> all() {
      return ProcFiles.list("/proc").stream()
          .filter(name -> name.chars().allMatch(c -> c >= '0' && c <= '9'))
          .map(Long::parseLong)
          .sorted()
          .toList();
    }

    /**
     * Returns the mount namespace, such as {@code mnt:[4026531841]}; empty if it is not accessible.
     */
    Optional<String> namespace() {
      return link("/ns/mnt").map(bytes -> new String(bytes, StandardCharsets.US_ASCII));
    }

    /** Returns its name, as the process set it. */
    KernelText command() {
      try {
        byte[] line = ProcFiles.read(directory + "/comm");
        boolean isEnded = line.length > 0 && line[line.length - 1] == '\n';
        return KernelText.ofBytes(isEnded ? Arrays.copyOf(line, line.length - 1) : line);
      } catch (IOException e) {
        return KernelText.of("");
      }
    }

    /** Returns its open descriptors. */
    List<String> descriptors() {
      return ProcFiles.list(directory + "/fd");
    }

    /** Returns the number, in the text tables, of the mount of a descriptor. */
    OptionalInt mountOf(String descriptor) {
      try {
        return OptionalInt.of(ProcFiles.mountId(process, descriptor));
      } catch (IOException e) {
        return OptionalInt.empty();
      }
    }

    /**
     * Returns the target of a link such as {@code /cwd}, if that is a path that can be reached from
     * here.
     */
    Optional<MountPath> path(String name) {
      try {
        return link(name)
            .filter(bytes -> bytes.length > 0 && bytes[0] == '/')
            .map(MountPath::ofBytes);
      } catch (IllegalArgumentException e) {
        return Optional.empty();
      }
    }

    /** Returns its mount table. */
    byte[] mounts() throws IOException {
      return ProcFiles.read(directory + "/mountinfo");
    }

    private Optional<byte[]> link(String name) {
      byte[] out = new byte[4096];
      int length = calls.readlinkat(Abi.AT_FDCWD, Abi.path(directory + name), out);
      return length < 0 ? Optional.empty() : Optional.of(Arrays.copyOf(out, length));
    }
  }
}
