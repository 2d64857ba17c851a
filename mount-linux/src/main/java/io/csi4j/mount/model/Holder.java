package io.csi4j.mount.model;

import java.util.Set;

/**
 * A holder, which keeps a mount, or its device, in use.
 *
 * @since 1.0
 */
public sealed interface Holder {

  /**
   * A process.
   *
   * @param pid its number
   * @param command its name, as it chose it
   * @param uses in what ways
   */
  record RunningProcess(long pid, KernelText command, Set<Use> uses) implements Holder {

    /** Copies the set. */
    public RunningProcess {
      uses = Set.copyOf(uses);
    }

    @Override
    public String toString() {
      return "process " + pid + " (" + command + ": " + uses.stream().sorted().toList() + ")";
    }
  }

  /**
   * A mount on top of it.
   *
   * @param mount the mount
   */
  record Child(MountRecord mount) implements Holder {
    @Override
    public String toString() {
      return "the mount at " + mount.path() + " below it";
    }
  }

  /**
   * Another mount of the same filesystem in this namespace.
   *
   * @param mount the mount
   */
  record Sibling(MountRecord mount) implements Holder {
    @Override
    public String toString() {
      return "the mount of the same filesystem at " + mount.path();
    }
  }

  /**
   * A mount of the same filesystem in the mount namespace of other processes, such as a container.
   *
   * @param namespace the number of that namespace
   * @param pid a process that is in it
   * @param command the name of that process
   * @param path where it is mounted there
   */
  record Elsewhere(long namespace, long pid, KernelText command, MountPath path) implements Holder {
    @Override
    public String toString() {
      return "the mount at " + path + " in the namespace of process " + pid + " (" + command + ")";
    }
  }

  /** In what way a process uses a mount. */
  enum Use {
    /** The process has something in the mount open. */
    OPEN_FILE,
    /** The process is in the mount. */
    WORKING_DIRECTORY,
    /** The process has the mount as its root directory. */
    ROOT_DIRECTORY,
    /** Its program is in it. */
    PROGRAM
  }
}
