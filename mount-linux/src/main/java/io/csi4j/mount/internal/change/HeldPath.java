package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.text.PrintableText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.OpenPath;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** A path that a descriptor holds open. */
final class HeldPath implements OpenPath {

  private static final int MOST_SHOWN = 256;

  private final Kernel kernel;
  private final MountCallPool pool;
  private final MountRef mount;
  private final MountPath path;
  private final Descriptor descriptor;
  private final boolean isDirectory;

  /** Guards the uses; not held during a call that may wait. */
  private final ReentrantLock lock = new ReentrantLock();

  /** The number of calls that use the descriptor, plus one until it is closed. */
  private int uses = 1;

  private boolean closed;

  private HeldPath(
      Kernel kernel, MountCallPool pool, MountRef mount, MountPath path, Descriptor descriptor) {
    this.kernel = kernel;
    this.pool = pool;
    this.mount = mount;
    this.path = path;
    this.descriptor = descriptor;
    this.isDirectory = descriptor.isDirectory();
  }

  /**
   * Opens the root of the mount on top at a path.
   *
   * @throws MountException if nothing is mounted there, or a part of the path is a link
   */
  static HeldPath open(Kernel kernel, Walk walk, MountCallPool pool, MountPath path) {
    String doing = "Opening " + path;
    return pool.call(
        doing,
        Duration.ZERO,
        new Opening() {
          @Override
          public HeldPath run(BooleanSupplier abandoned) {
            try (TargetPlace place = walk.place(doing, path)) {
              return held(place.open(doing), place);
            }
          }

          private HeldPath held(Descriptor opened, TargetPlace place) {
            MountOf mounts = new MountOf(kernel);
            return keep(
                opened,
                () -> {
                  if (mounts.id(opened.number()) == mounts.id(place.directory())) {
                    throw notAMount(doing, path);
                  }
                  MountRecord record =
                      mounts.record(opened).orElseThrow(() -> notAMount(doing, path));
                  return new HeldPath(kernel, pool, record.ref(), path, opened);
                });
          }
        });
  }

  @Override
  public OpenPath resolve(String below) {
    String doing = "Opening '" + PrintableText.escape(cut(below)) + "' beneath " + path;
    MountPath wanted = below(doing, below);
    Descriptor start = use();
    return pool.call(
        doing,
        Duration.ZERO,
        new Opening() {
          @Override
          public HeldPath run(BooleanSupplier abandoned) {
            Descriptor opened = new Walk(kernel, path).inside(doing, start, path, wanted);
            return keep(
                opened,
                () -> {
                  MountOf mounts = new MountOf(kernel);
                  if (mounts.id(opened.number()) != mounts.id(start.number())) {
                    throw outside(doing, "another mount is on the way", wanted);
                  }
                  return new HeldPath(kernel, pool, mount, wanted, opened);
                });
          }
        },
        this::used);
  }

  private MountPath below(String doing, String below) {
    try {
      return path.resolve(below);
    } catch (IllegalArgumentException noWayDown) {
      throw outside(doing, "it does not stay below that directory", path);
    }
  }

  /**
   * Returns the descriptor, which stays open until {@link #used}, even if this object is closed
   * before. After that, another file may have its number.
   */
  Descriptor use() {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException(path + " is not held open any more.");
      }
      uses++;
      return descriptor;
    } finally {
      lock.unlock();
    }
  }

  /** Ends a use. */
  void used() {
    lock.lock();
    try {
      if (--uses == 0) {
        descriptor.close();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public MountRef mount() {
    return mount;
  }

  @Override
  public MountPath path() {
    return path;
  }

  @Override
  public int descriptor() {
    return descriptor.number();
  }

  @Override
  public MountPath throughProc() {
    return MountPath.of("/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor.number());
  }

  @Override
  public boolean isDirectory() {
    return isDirectory;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      lock.unlock();
    }
    used();
  }

  /** Returns its path and its mount. */
  @Override
  public String toString() {
    return path + " in " + mount;
  }

  private static String cut(String text) {
    return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN);
  }

  private static MountException notAMount(String doing, MountPath path) {
    return MountException.builder(
            Reason.NOT_A_MOUNT,
            doing
                + " failed: nothing is mounted there. Mount the volume first, or find out what took"
                + " it away.")
        .target(path)
        .build();
  }

  private static MountException outside(String doing, String why, MountPath about) {
    return MountException.builder(
            Reason.OUTSIDE,
            doing + " was refused: " + why + ". Name a relative path in the same mount.")
        .target(about)
        .build();
  }

  /** Opens a path. If the caller has given up before the descriptor is open, it is closed again. */
  private abstract static class Opening implements MountCallPool.Work<HeldPath> {

    /** The last step of opening. */
    interface Last {
      HeldPath get();
    }

    /** Returns the result, or closes the descriptor that was opened for it. */
    static HeldPath keep(Descriptor opened, Last last) {
      boolean isKept = false;
      try {
        HeldPath result = last.get();
        isKept = true;
        return result;
      } finally {
        if (!isKept) {
          opened.close();
        }
      }
    }

    @Override
    public boolean canUndo() {
      return true;
    }

    @Override
    public void undo(HeldPath result) {
      result.close();
    }
  }
}
