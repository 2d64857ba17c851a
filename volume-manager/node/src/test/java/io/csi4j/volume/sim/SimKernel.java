package io.csi4j.volume.sim;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The kernel's mounts: stacked by path, gone with the boot. */
final class SimKernel {

  /** One mount. */
  static final class Mount {
    private final int number;
    private final int boot;
    final MountPath path;
    final String volume;
    final boolean readOnly;
    final boolean foreign;

    /** Whether it came so late that nobody could expect it any more. */
    final boolean rogue;

    /** Whether the manager has seen it. */
    private boolean seen;

    /** Whether its server has ended. */
    private boolean dead;

    private Mount(
        int number,
        int boot,
        MountPath path,
        String volume,
        boolean readOnly,
        boolean foreign,
        boolean rogue) {
      this.number = number;
      this.boot = boot;
      this.path = path;
      this.volume = volume;
      this.readOnly = readOnly;
      this.foreign = foreign;
      this.rogue = rogue;
    }

    boolean isUnexpected() {
      return rogue && !seen;
    }

    boolean isDead() {
      return dead;
    }

    /** Whether the manager has seen it. */
    boolean wasSeen() {
      return seen;
    }

    /** How the mount is named, by itself and in records. */
    String ref() {
      return "m" + number + "@" + boot;
    }

    private Sighting sighting() {
      return new Sighting(
          path,
          foreign ? "7:" + number : "9:1",
          new Evidence(ref(), foreign ? "tmpfs" : "ext4", "/dev/" + volume, "/", readOnly),
          dead ? Sighting.Health.DEAD : Sighting.Health.WELL);
    }

    @Override
    public String toString() {
      return path
          + (readOnly ? " (ro)" : "")
          + (foreign ? " (foreign)" : "")
          + (dead ? " (dead)" : "");
    }
  }

  private static final MountPath ELSEWHERE = MountPath.of("/mnt");

  private final List<Mount> mounts = new ArrayList<>();
  private int numbers;
  private int boot = 1;
  private long namespace = 4_026_531_841L;
  private boolean blind;

  Place place() {
    return new Place("boot-" + boot, namespace);
  }

  /** A volume of a plugin appears at a path. */
  void mount(MountPath path, String volume, boolean readOnly, boolean rogue) {
    mounts.add(new Mount(++numbers, boot, path, volume, readOnly, false, rogue));
  }

  /** What serves these mounts ends. */
  void kill(Predicate<Mount> which) {
    mounts.stream().filter(which).forEach(mount -> mount.dead = true);
  }

  /** Whether what is on top has no server any more. */
  boolean isDead(MountPath path) {
    List<Mount> stack = at(path);
    return !stack.isEmpty() && stack.get(stack.size() - 1).dead;
  }

  /** Whether what is on top is somebody else's. */
  boolean isForeign(MountPath path) {
    List<Mount> stack = at(path);
    return !stack.isEmpty() && stack.get(stack.size() - 1).foreign;
  }

  /** Somebody else mounts something. */
  void mountForeign(MountPath path) {
    mounts.add(new Mount(++numbers, boot, path, "other", false, true, false));
  }

  /** Another program mounts what is staged of a volume, at a place of its own. */
  void mountElsewhere(String volume) {
    MountPath path = ELSEWHERE.resolve(volume + "-" + ++numbers);
    mounts.add(new Mount(numbers, boot, path, volume, false, true, false));
  }

  /** The mounts that other programs have made of what is on top at a path, since it is there. */
  List<Mount> elsewhere(MountPath path) {
    List<Mount> stack = at(path);
    if (stack.isEmpty()) {
      return List.of();
    }
    Mount top = stack.get(stack.size() - 1);
    return mounts.subList(mounts.indexOf(top), mounts.size()).stream()
        .filter(mount -> mount.volume.equals(top.volume) && mount.path.isWithin(ELSEWHERE))
        .toList();
  }

  /** Takes away the mount on top, if there is one. */
  boolean unmount(MountPath path, Predicate<Mount> which) {
    for (int at = mounts.size() - 1; at >= 0; at--) {
      Mount mount = mounts.get(at);
      if (mount.path.equals(path) && which.test(mount)) {
        mounts.remove(at);
        return true;
      }
    }
    return false;
  }

  /** Other programs take away what they have mounted elsewhere. */
  void removeElsewhere() {
    mounts.removeIf(mount -> mount.path.isWithin(ELSEWHERE));
  }

  /** The admin takes away what others have mounted. */
  void removeForeign() {
    mounts.removeIf(mount -> mount.foreign);
  }

  /** The host starts again: nothing is mounted. */
  void reboot() {
    boot++;
    mounts.clear();
  }

  /** The process starts in another mount namespace, which shows the same mounts. */
  void enterNamespace() {
    namespace++;
  }

  /** Lets every look at the table fail from now on, or no more. */
  void blind(boolean value) {
    blind = value;
  }

  boolean isBlind() {
    return blind;
  }

  List<Mount> mounts() {
    return mounts;
  }

  List<Mount> at(MountPath path) {
    List<Mount> found = new ArrayList<>();
    for (Mount mount : mounts) {
      if (mount.path.equals(path)) {
        found.add(mount);
      }
    }
    return found;
  }

  boolean isMounted(MountPath path) {
    return !at(path).isEmpty();
  }

  /** The table as a process sees it. */
  KernelMounts table(Life life, View view) {
    return new KernelMounts() {
      @Override
      public Place place() {
        life.check();
        return SimKernel.this.place();
      }

      @Override
      public List<Sighting> at(MountPath path) {
        life.check();
        view.lookedAt(path);
        return look(mount -> mount.path.equals(path));
      }

      @Override
      public List<Sighting> beneath(MountPath directory) {
        life.check();
        view.looked(directory);
        return look(mount -> mount.path.isWithin(directory));
      }

      @Override
      public List<Sighting> elsewhere(MountPath path, MountPath own) {
        life.check();
        return look(SimKernel.this.elsewhere(path)::contains);
      }

      private List<Sighting> look(Predicate<Mount> which) {
        if (blind) {
          throw MountException.builder(
                  MountException.Reason.LIMIT, "Reading the mount table failed: told to fail.")
              .build();
        }
        List<Sighting> found = new ArrayList<>();
        for (Mount mount : mounts) {
          if (which.test(mount)) {
            mount.seen = true;
            found.add(mount.sighting());
          }
        }
        return found;
      }

      @Override
      public Optional<String> device(MountPath path) {
        life.check();
        return Optional.empty();
      }

      @Override
      public Optional<String> holders(MountPath path) {
        life.check();
        return Optional.empty();
      }

      @Override
      public boolean unmount(MountPath path) {
        life.check();
        view.unmountedByManager(path);
        while (SimKernel.this.unmount(path, mount -> true)) {
          // All layers go.
        }
        return false;
      }

      @Override
      public boolean unmountDead(MountPath path, DeadUnmount how) {
        life.check();
        while (isDead(path)) {
          view.deadUnmountedByManager(path);
          SimKernel.this.unmount(path, mount -> true);
        }
        return false;
      }
    };
  }

  /** Told of what the manager does with the table. */
  interface View {
    void lookedAt(MountPath path);

    void looked(MountPath directory);

    void unmountedByManager(MountPath path);

    void deadUnmountedByManager(MountPath path);
  }
}
