package io.csi4j.mount.model;

import java.util.Set;

/**
 * A process or mount that keeps a mount, or its device, in use.
 *
 * @since 1.0
 */
public sealed interface Holder {

  /**
   * A process.
   *
   * @param pid its number
   * @param command its name, as the process set it
   * @param uses the ways in which it uses the mount
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
   * A mount on top of the mount.
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
   * @param pid a process in that namespace
   * @param command the name of that process
   * @param path its mount point there
   */
  record Elsewhere(long namespace, long pid, KernelText command, MountPath path) implements Holder {
    @Override
    public String toString() {
      return "the mount at " + path + " in the namespace of process " + pid + " (" + command + ")";
    }
  }

  /** The ways in which a process uses a mount. */
  enum Use {
    /** The process has a file of the mount open. */
    OPEN_FILE,
    /** The working directory of the process is in the mount. */
    WORKING_DIRECTORY,
    /** The root directory of the process is in the mount. */
    ROOT_DIRECTORY,
    /** The program of the process is in the mount. */
    PROGRAM
  }
}
