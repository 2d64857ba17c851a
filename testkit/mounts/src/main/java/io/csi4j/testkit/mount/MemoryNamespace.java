package io.csi4j.testkit.mount;

import static io.csi4j.testkit.mount.KernelRefusal.EINVAL;
import static io.csi4j.testkit.mount.KernelRefusal.ENOENT;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.MountWatch;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountPath;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A mount namespace of a {@link MemoryKernel}, as seen by the processes in it.
 *
 * <p>In addition to mounting, tests can create files and read directories in it. Those methods
 * follow symbolic links, and throw {@link io.csi4j.mount.model.MountException} if the kernel would
 * refuse.
 *
 * @since 1.0
 */
public final class MemoryNamespace implements AutoCloseable {

  private final MemoryKernel kernel;
  private final MemoryTable reader;
  private final MemoryMounts mounts;
  private final MountWatch watch;
  private Table table;

  MemoryNamespace(MemoryKernel kernel, Table table) {
    this.kernel = kernel;
    this.table = table;
    reader = new MemoryTable(this);
    mounts = new MemoryMounts(this, reader, MountPath.ROOT);
    watch =
        listener ->
            kernel.call(() -> new MemoryWatching(kernel, this.table, reader.list(), listener));
  }

  /** Returns the mounts. */
  public MountTable table() {
    return reader;
  }

  /** Returns the operations that change the mounts. */
  public Mounts mounts() {
    return mounts;
  }

  /**
   * Returns a watch of the changes of the mounts. A listener is called on the thread that makes the
   * change, before its call returns; if several threads change the mounts, on one of them.
   */
  public MountWatch watch() {
    return watch;
  }

  /**
   * Creates a namespace with copies of all mounts; copies of shared mounts are peers of the
   * originals.
   */
  public MemoryNamespace unshare() {
    return kernel.call(() -> new MemoryNamespace(kernel, kernel.model().unshare(table)));
  }

  /**
   * Ends the namespace, as the exit of its last process does. All its mounts are removed, even
   * those with open files.
   *
   * @throws IllegalStateException for the namespace of the host
   */
  @Override
  public void close() {
    if (this == kernel.host()) {
      throw new IllegalStateException("The host's own namespace does not end. Reboot the host.");
    }
    kernel.run(
        () -> {
          if (kernel.model().tables().contains(table)) {
            List.copyOf(table.watchings).forEach(MemoryWatching::end);
            kernel.model().end(table);
          }
        });
  }

  /** Creates a directory and its missing parents; does nothing if it exists. */
  public MountPath directory(MountPath path) {
    return attempt(
        "Making the directory " + path,
        path,
        () -> {
          if (!directoryAt(path).node().isDirectory()) {
            throw new KernelRefusal(KernelRefusal.ENOTDIR);
          }
          return path;
        });
  }

  private MountedFile directoryAt(MountPath path) {
    try {
      return new Walker(table).follow(path);
    } catch (KernelRefusal e) {
      if (e.number() != ENOENT) {
        throw e;
      }
      return Model.add(
          directoryAt(path.parent()), KernelText.ofBytes(path.name()), Node.directory());
    }
  }

  /** Creates an empty file and its missing parent directories. */
  public MountPath file(MountPath path) {
    return file(path, "");
  }

  /** Writes this content to a file, which is created if it is missing. */
  public MountPath file(MountPath file, String content) {
    directory(file.parent());
    return attempt(
        "Writing " + file,
        file,
        () -> {
          try {
            MountedFile place = new Walker(table).follow(file);
            Model.checkWritable(place.mount());
            if (place.node().isDirectory()) {
              throw new KernelRefusal(KernelRefusal.EISDIR);
            }
            place.node().write(content);
          } catch (KernelRefusal e) {
            if (e.number() != ENOENT) {
              throw e;
            }
            make(file, Node.file(content));
          }
          return file;
        });
  }

  /** Creates a symbolic link and its missing parent directories. */
  public MountPath symlink(MountPath path, KernelText target) {
    return made(path, Node.symlink(new String(target.bytes(), StandardCharsets.UTF_8)));
  }

  /** Creates the node of a block device and its missing parent directories. */
  public MountPath device(MountPath path, DeviceId device) {
    return made(path, Node.device(device));
  }

  private MountPath made(MountPath path, Node node) {
    directory(path.parent());
    return attempt(
        "Making " + path,
        path,
        () -> {
          make(path, node);
          return path;
        });
  }

  private void make(MountPath path, Node node) {
    MountedFile directory = new Walker(table).follow(path.parent());
    Model.add(directory, KernelText.ofBytes(path.name()), node);
  }

  /**
   * Adds a disk with an empty filesystem of this type to the host. {@link #device} creates the
   * device node that mounting needs.
   */
  public DeviceId disk(String type) {
    return kernel.call(() -> kernel.disks.add(type));
  }

  /** Returns whether a file of any kind exists at the path. */
  public boolean exists(MountPath at) {
    return kernel.call(
        () -> {
          try {
            return new Walker(table).followParents(at) != null;
          } catch (KernelRefusal e) {
            return false;
          }
        });
  }

  /** Returns the content of the file at the path; empty if there is no file. */
  public Optional<String> content(MountPath at) {
    return kernel.call(
        () -> {
          try {
            Node node = new Walker(table).follow(at).node();
            return node.isDirectory() ? Optional.empty() : Optional.of(node.content());
          } catch (KernelRefusal e) {
            return Optional.empty();
          }
        });
  }

  /** Returns the names in the directory at the path, in the order of their creation. */
  public List<String> names(MountPath at) {
    return attempt(
        "Listing " + at,
        at,
        () ->
            new Walker(table)
                .follow(at).node().names().stream()
                    .map(name -> new String(name.bytes(), StandardCharsets.UTF_8))
                    .toList());
  }

  /**
   * Removes a file, a link or an empty directory; mounts on it in other namespaces are removed as
   * well.
   */
  public void remove(MountPath at) {
    change(
        "Removing " + at,
        at,
        () -> kernel.model().remove(table, new Walker(table).follow(at.parent()), at));
  }

  /** Renames a file or directory within its mount. */
  public void rename(MountPath source, MountPath target) {
    change("Renaming " + source, source, () -> Model.rename(table, source, target));
  }

  /** Opens the file at the path for reading; its mount is in use until the handle is closed. */
  public OpenHandle open(MountPath path) {
    return open(path, false);
  }

  /** Opens the file at the path for writing; its mount cannot become read-only in the meantime. */
  public OpenHandle openForWriting(MountPath path) {
    return open(path, true);
  }

  private OpenHandle open(MountPath path, boolean writing) {
    return attempt(
        "Opening " + path,
        path,
        () -> {
          Mount mount = new Walker(table).follow(path).mount();
          if (writing) {
            Model.checkWritable(mount);
          }
          OpenHandle held = new OpenHandle(kernel, mount, writing, kernel.model().newPid());
          kernel.model().hold(mount, held);
          return held;
        });
  }

  /** Mounts a new tmpfs on a directory, over any mounts there. */
  public void tmpfs(MountPath at) {
    attempt(
        "Mounting tmpfs at " + at,
        at,
        () -> {
          MountedFile target = new Walker(table).follow(at);
          Model model = kernel.model();
          Filesystem filesystem =
              new Filesystem(
                  model.anonymousDevice(),
                  "tmpfs",
                  Backing.MEMORY,
                  Node.directory(),
                  List.of(),
                  false);
          Mount made = model.newMount(filesystem, filesystem.root, KernelText.of("tmpfs"));
          made.flags.addAll(Mount.flagsOfNew(Set.of()));
          return kernel.model().mount(made, target);
        });
  }

  /** Binds without checking the target ({@code mount --bind}), following links. */
  public void bind(MountPath source, MountPath at) {
    attempt(
        "Binding " + source,
        at,
        () -> {
          MountedFile from = new Walker(table).follow(source);
          return kernel.model().bind(from, new Walker(table).follow(at), false, made -> {});
        });
  }

  /** Detaches the topmost mount with all mounts on it ({@code MNT_DETACH}). */
  public void detach(MountPath at) {
    change("Detaching " + at, at, () -> kernel.model().detach(mountAt(at)));
  }

  /** Moves a mount with all mounts on it ({@code MS_MOVE}). */
  public void move(MountPath source, MountPath target) {
    change(
        "Moving " + source,
        target,
        () -> {
          MountedFile place = new Walker(table).follow(source);
          kernel.model().move(place, new Walker(table).follow(target));
        });
  }

  /** Makes the mount at the path private and unbindable: it cannot be bound elsewhere. */
  public void makeUnbindable(MountPath at) {
    change(
        "Making unbindable " + at,
        at,
        () -> {
          Mount mount = mountAt(at);
          kernel.model().makePrivate(mount);
          mount.unbindable = true;
        });
  }

  /** Sets the behaviour of the server of the filesystem mounted at the path from now on. */
  public void server(MountPath at, ServerState state) {
    change("Changing the server of " + at, at, () -> mountAt(at).filesystem.server = state);
  }

  private Mount mountAt(MountPath path) {
    MountedFile place = new Walker(table).follow(path);
    if (!place.isMountRoot()) {
      throw new KernelRefusal(EINVAL);
    }
    return place.mount();
  }

  MemoryKernel kernel() {
    return kernel;
  }

  Table current() {
    return table;
  }

  void setTable(Table now) {
    table = now;
  }

  private void change(String doing, MountPath path, Runnable work) {
    attempt(
        doing,
        path,
        () -> {
          work.run();
          return path;
        });
  }

  private <T> T attempt(String doing, MountPath path, Supplier<T> work) {
    return kernel.call(() -> KernelErrors.explained(doing, "open", path, work));
  }
}
