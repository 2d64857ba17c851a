package io.csi4j.mount.contract;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.mount.real.LibcForTests;
import io.csi4j.mount.real.Scratch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** The running kernel, in the directory of one test. */
final class RealWorld implements World {

  private final Scratch scratch;
  private final RunningKernel.EntryPoints entryPoints;
  private final Syscalls calls;

  /**
   * The kernel, called by some binding.
   *
   * @param binding its name; null for the one that all others use
   */
  RealWorld(Scratch scratch, @Nullable String binding) {
    this.scratch = scratch;
    entryPoints = RunningKernel.entryPoints(binding);
    calls = entryPoints.kernel().calls();
  }

  @Override
  public MountTable table() {
    return entryPoints.table();
  }

  @Override
  public Mounts mounts() {
    return entryPoints.mounts();
  }

  @Override
  public MountWatch watch() {
    return entryPoints.watch();
  }

  @Override
  public MountPath path(String relative) {
    return relative.isEmpty() ? scratch.root() : scratch.path(relative);
  }

  @Override
  public MountPath directory(String relative) {
    return scratch.directory(relative);
  }

  @Override
  public MountPath file(String relative, String content) {
    return scratch.file(relative, content);
  }

  @Override
  public MountPath symlink(String relative, MountPath target) {
    return files(
        () -> {
          Files.createSymbolicLink(scratch.file(relative), target.toPath());
          return path(relative);
        });
  }

  @Override
  public MountPath tmpfs(String relative) {
    return scratch.tmpfs(relative);
  }

  @Override
  public void tmpfsOver(MountPath path) {
    scratch.rawMount("tmpfs", path.toPath(), "tmpfs", 0, null);
  }

  @Override
  public void bind(MountPath source, MountPath target) {
    scratch.bind(source, target);
  }

  @Override
  public void detach(MountPath path) {
    check("detach " + path, scratch.rawUnmount(path, Abi.MNT_DETACH));
  }

  @Override
  public void move(MountPath from, MountPath to) {
    check("move " + from, calls.mount(Abi.path(from), Abi.path(to), null, Abi.MS_MOVE, null));
  }

  @Override
  public void propagation(MountPath path, Propagation propagation) {
    long flag =
        switch (propagation) {
          case PRIVATE -> Abi.MS_PRIVATE;
          case HOST_TO_CONTAINER -> Abi.MS_SLAVE;
          case BIDIRECTIONAL -> Abi.MS_SHARED;
        };
    check("propagation", calls.mount(null, Abi.path(path), null, flag, null));
  }

  @Override
  public void unbindable(MountPath path) {
    check("unbindable", calls.mount(null, Abi.path(path), null, Abi.MS_UNBINDABLE, null));
  }

  @Override
  public void rename(MountPath from, MountPath to) {
    files(() -> Files.move(from.toPath(), to.toPath()));
  }

  @Override
  public void remove(MountPath path) {
    files(
        () -> {
          Files.delete(path.toPath());
          return path;
        });
  }

  @Override
  public boolean exists(MountPath path) {
    return Files.exists(path.toPath(), LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public Use open(MountPath path) {
    return open(path, 0);
  }

  @Override
  public Use openForWriting(MountPath path) {
    return open(path, 1);
  }

  private Use open(MountPath path, int flags) {
    int opened = calls.openat(Abi.AT_FDCWD, Abi.path(path), flags | Abi.O_CLOEXEC, 0);
    check("open " + path, opened);
    return () -> calls.close(opened);
  }

  @Override
  public Elsewhere elsewhere() {
    return new OtherThread();
  }

  /** A thread that has left the namespace of the others. */
  private final class OtherThread implements Elsewhere {

    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    private OtherThread() {
      call(
          () -> {
            LibcForTests.unshareMounts();
            return true;
          });
    }

    private <T> T call(Callable<T> work) {
      try {
        return thread.submit(work).get();
      } catch (InterruptedException | ExecutionException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public boolean isMount(MountPath path) {
      return call(
          () ->
              Scratch.rows("thread-self").stream()
                  .anyMatch(row -> row.split(" ", -1)[4].equals(path.toString())));
    }

    @Override
    public void tmpfsOver(MountPath path) {
      call(
          () -> {
            RealWorld.this.tmpfsOver(path);
            return true;
          });
    }

    @Override
    public Use open(MountPath path) {
      return call(() -> RealWorld.this.open(path));
    }

    @Override
    public void propagation(MountPath path, Propagation propagation) {
      call(
          () -> {
            RealWorld.this.propagation(path, propagation);
            return true;
          });
    }

    @Override
    public void close() {
      thread.shutdown();
      try {
        if (!thread.awaitTermination(20, java.util.concurrent.TimeUnit.SECONDS)) {
          throw new AssertionError("The thread of the other namespace did not end.");
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private interface FileWork<T> {
    T run() throws IOException;
  }

  private static <T> T files(FileWork<T> work) {
    try {
      return work.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void check(String what, int result) {
    if (result < 0) {
      throw new AssertionError(what + ": " + new Errno(-result));
    }
  }
}
