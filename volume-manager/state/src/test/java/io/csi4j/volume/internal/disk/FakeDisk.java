package io.csi4j.volume.internal.disk;

import io.csi4j.volume.internal.disk.DiskException.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * A disk in memory with a page cache and a medium, for tests: it loses power at any operation,
 * keeps any part of what was not synced, in sectors of 512 bytes and in any order, and fails as
 * told. Not safe for several threads.
 *
 * <p>What a power cut keeps is decided by a {@link Random}, so that one seed is one history.
 */
public final class FakeDisk implements Disk {

  private static final int SECTOR = 512;

  /** The power is gone: no operation works until {@link #restart}. */
  public static final class PowerCut extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PowerCut() {
      super("the power is cut");
    }
  }

  /** What of the operations is counted, and can fail or lose power. */
  public enum Operation {
    CREATE,
    CREATE_DIRECTORY,
    OPEN,
    LOOK,
    READ,
    WRITE,
    CUT,
    SYNC,
    RENAME,
    DELETE,
    SET_MODE,
    SYNC_DIRECTORY,
    LOCK
  }

  private static final class Node {
    final int id;
    final FileFacts.Kind kind;
    byte[] cache = new byte[0];
    byte[] media = new byte[0];
    List<Change> unsynced = new ArrayList<>();
    long modified;
    int mode;
    int owner;

    Node(int id, FileFacts.Kind kind, int mode) {
      this.id = id;
      this.kind = kind;
      this.mode = mode;
    }
  }

  /** One write that is not synced, or one cut, which has no bytes. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Change(int position, byte[] bytes) {

    byte[] cut(byte[] file) {
      return bytes.length > 0 ? file : Arrays.copyOf(file, Math.min(file.length, position));
    }
  }

  /** One operation, in words only for who reads them. */
  private record Done(Operation operation, Path path) {
    @Override
    public String toString() {
      return operation + " " + path.getFileName();
    }
  }

  /** One change of names that is not synced: gone names, and one that leads somewhere now. */
  private record Renaming(Path directory, Path from, Path to, Node node) {}

  private final TreeMap<Path, Node> names = new TreeMap<>();
  private final TreeMap<Path, Node> namesOnMedia = new TreeMap<>();
  private final List<Renaming> unsyncedNames = new ArrayList<>();
  private final Set<Path> locked = new HashSet<>();
  private final List<Done> history = new ArrayList<>();
  private BiPredicate<Operation, Path> failing = (operation, path) -> false;
  private Kind failure = Kind.FAILED;
  private long space = Long.MAX_VALUE;
  private boolean readOnly;
  private String type = "ext4";
  private int umask;
  private int cutAt = -1;
  private int operations;
  private int writes;
  private int ids;
  private boolean dead;
  private final List<Path> opened = new ArrayList<>();

  /** A disk with this directory on it. */
  public static FakeDisk with(Path directory) {
    FakeDisk disk = new FakeDisk();
    Node node = new Node(disk.ids++, FileFacts.Kind.DIRECTORY, 0755);
    disk.names.put(directory, node);
    disk.namesOnMedia.put(directory, node);
    return disk;
  }

  // ---- what a test does to it

  /** Cuts the power instead of doing the operation with this number, counted from 0. */
  public FakeDisk cutPowerAt(int operation) {
    cutAt = operation;
    return this;
  }

  /** How many operations were made that change something. */
  public int operations() {
    return operations;
  }

  /** What was done, one line per operation. */
  public List<String> history() {
    return history.stream().map(Done::toString).toList();
  }

  /** Lets these operations fail in this way from now on. */
  public void fail(Kind kind, BiPredicate<Operation, Path> which) {
    failure = kind;
    failing = which;
  }

  /** Lets every operation succeed again. */
  public void heal() {
    failing = (operation, path) -> false;
    space = Long.MAX_VALUE;
    readOnly = false;
  }

  /** Leaves no space but this much. */
  public void leave(long bytes) {
    space = used() + bytes;
  }

  /** Makes it read-only, for files that are open too. */
  public void makeReadOnly() {
    readOnly = true;
  }

  /** Whether it has space, and can be written. */
  public boolean isWell() {
    return !readOnly && space == Long.MAX_VALUE;
  }

  /** Takes these bits from the mode of what is made. */
  public void umask(int bits) {
    umask = bits;
  }

  /** Sets the type of the filesystem. */
  public void type(String name) {
    type = name;
  }

  /**
   * A choice by chance. Those of neighbouring seeds differ from the first bit on, which those of
   * {@code new Random} do not.
   */
  public static Random chance(long seed) {
    return new Random(seed * 0x9E3779B97F4A7C15L);
  }

  /** What comes back with the power: what was synced, and of the rest what the choice keeps. */
  public FakeDisk restart(Random choice) {
    FakeDisk after = new FakeDisk();
    after.ids = ids;
    after.writes = writes;
    after.type = type;
    TreeMap<Path, Node> kept = new TreeMap<>(namesOnMedia);
    for (Renaming renaming : unsyncedNames) {
      if (choice.nextBoolean()) {
        if (renaming.from() != null) {
          kept.remove(renaming.from());
        }
        if (renaming.to() != null) {
          kept.put(renaming.to(), renaming.node());
        }
      }
    }
    // A name is nowhere when the directory that it is in is not.
    kept.keySet()
        .removeIf(path -> !path.equals(kept.firstKey()) && !kept.containsKey(path.getParent()));
    Map<Node, Node> copies = new HashMap<>();
    kept.forEach(
        (path, node) ->
            after.names.put(path, copies.computeIfAbsent(node, it -> survivor(it, choice))));
    after.namesOnMedia.putAll(after.names);
    return after;
  }

  /** What comes back when only the process dies: everything, with what is not synced still so. */
  public FakeDisk restartProcess() {
    FakeDisk after = new FakeDisk();
    after.ids = ids;
    after.writes = writes;
    after.type = type;
    after.names.putAll(names);
    after.namesOnMedia.putAll(namesOnMedia);
    after.unsyncedNames.addAll(unsyncedNames);
    return after;
  }

  private static Node survivor(Node node, Random choice) {
    Node copy = new Node(node.id, node.kind, node.mode);
    copy.modified = node.modified;
    copy.owner = node.owner;
    byte[] bytes = node.media.clone();
    for (Change change : node.unsynced) {
      if (change.bytes().length == 0 && choice.nextBoolean()) {
        bytes = change.cut(bytes);
      }
      for (int at = 0; at < change.bytes().length; ) {
        int position = change.position() + at;
        int end = Math.min(change.bytes().length, at + SECTOR - position % SECTOR);
        if (choice.nextBoolean()) {
          bytes = grown(bytes, change.position() + end);
          System.arraycopy(change.bytes(), at, bytes, position, end - at);
        }
        at = end;
      }
    }
    copy.cache = bytes;
    copy.media = bytes.clone();
    return copy;
  }

  private static byte[] grown(byte[] bytes, int length) {
    return bytes.length >= length ? bytes : Arrays.copyOf(bytes, length);
  }

  /** The bytes of a file, as a process sees them. */
  public byte[] content(Path file) {
    return names.get(file).cache.clone();
  }

  /** Replaces the bytes of a file, on the medium too, as another process would. */
  public void overwrite(Path file, byte[] bytes) {
    Node node = names.computeIfAbsent(file, it -> new Node(ids++, FileFacts.Kind.FILE, 0600));
    namesOnMedia.put(file, node);
    node.cache = bytes.clone();
    node.media = bytes.clone();
    node.unsynced.clear();
    node.modified = ++writes;
  }

  /** Makes a directory, on the medium too. */
  public void mkdir(Path directory) {
    put(directory, FileFacts.Kind.DIRECTORY);
  }

  /** Puts something of this kind there that is not a directory or file, on the medium too. */
  public void put(Path path, FileFacts.Kind kind) {
    Node node = new Node(ids++, kind, 0700);
    names.put(path, node);
    namesOnMedia.put(path, node);
  }

  /** Gives a file or directory to another user; the user of this process is number 0. */
  public void giveTo(int owner, Path path) {
    names.get(path).owner = owner;
  }

  /** Takes a name away, on the medium too. */
  public void erase(Path file) {
    names.remove(file);
    namesChange(file);
    namesOnMedia.remove(file);
  }

  /** The files that are open, by the names under which they were opened, in that order. */
  public List<Path> opened() {
    return List.copyOf(opened);
  }

  /** All names below a directory. */
  public Set<Path> files() {
    return Set.copyOf(names.keySet());
  }

  // ---- the port

  private static final Set<Operation> CHANGING_NOTHING =
      Set.of(Operation.READ, Operation.LOOK, Operation.OPEN);

  private void step(Operation operation, Path path) throws DiskException {
    if (dead) {
      throw new PowerCut();
    }
    if (!CHANGING_NOTHING.contains(operation)) {
      if (operations == cutAt) {
        dead = true;
        throw new PowerCut();
      }
      operations++;
      history.add(new Done(operation, path));
      if (readOnly && operation != Operation.SYNC && operation != Operation.SYNC_DIRECTORY) {
        throw new DiskException(Kind.READ_ONLY, path.getFileName() + ": read-only", null);
      }
    }
    if (failing.test(operation, path)) {
      if (operation == Operation.SYNC) {
        // The kernel forgets that the pages are dirty: the next sync succeeds and they are lost.
        Node node = names.get(path);
        if (node != null) {
          node.unsynced.clear();
        }
      }
      throw new DiskException(failure, path.getFileName() + ": told to fail", null);
    }
  }

  private Node node(Path path) throws DiskException {
    Node node = names.get(path);
    if (node == null) {
      throw new DiskException(Kind.NOT_FOUND, path.getFileName() + ": not there", null);
    }
    return node;
  }

  private long used() {
    return Set.copyOf(names.values()).stream().mapToLong(node -> node.cache.length).sum();
  }

  @Override
  public Optional<FileFacts> facts(Path path) throws DiskException {
    step(Operation.LOOK, path);
    return Optional.ofNullable(names.get(path))
        .map(
            node ->
                new FileFacts(
                    node.kind,
                    "n" + node.id,
                    node.cache.length,
                    node.modified,
                    node.mode,
                    node.owner));
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    step(Operation.LOOK, directory);
    node(directory);
    return names.keySet().stream()
        .filter(path -> directory.equals(path.getParent()))
        .map(path -> path.getFileName().toString())
        .toList();
  }

  @Override
  public byte[] read(Path file, int limit) throws DiskException {
    step(Operation.READ, file);
    byte[] all = node(file).cache;
    return Arrays.copyOf(all, Math.min(limit, all.length));
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    step(Operation.CREATE_DIRECTORY, directory);
    add(directory, new Node(ids++, FileFacts.Kind.DIRECTORY, 0700 & ~umask));
  }

  @Override
  public DiskFile create(Path file) throws DiskException {
    step(Operation.CREATE, file);
    Node node = new Node(ids++, FileFacts.Kind.FILE, 0600 & ~umask);
    node.modified = ++writes;
    add(file, node);
    return new Open(file, node);
  }

  private void add(Path path, Node node) throws DiskException {
    node(path.getParent());
    if (names.containsKey(path)) {
      throw new DiskException(Kind.IN_THE_WAY, path.getFileName() + ": is there", null);
    }
    names.put(path, node);
    namesChange(path);
    unsyncedNames.add(new Renaming(path.getParent(), null, path, node));
  }

  private void namesChange(Path path) {
    Node above = names.get(path.getParent());
    if (above != null) {
      above.modified = ++writes;
    }
  }

  @Override
  public DiskFile open(Path file) throws DiskException {
    step(Operation.OPEN, file);
    return new Open(file, node(file));
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    step(Operation.RENAME, to);
    Node node = node(from);
    names.remove(from);
    names.put(to, node);
    namesChange(to);
    unsyncedNames.add(new Renaming(to.getParent(), from, to, node));
  }

  @Override
  public void deleteFile(Path file) throws DiskException {
    if (!names.containsKey(file)) {
      return;
    }
    step(Operation.DELETE, file);
    Node node = names.remove(file);
    namesChange(file);
    unsyncedNames.add(new Renaming(file.getParent(), file, null, node));
  }

  @Override
  public void removeDirectory(Path directory) throws DiskException {
    step(Operation.DELETE, directory);
    Node node = node(directory);
    if (!list(directory).isEmpty()) {
      throw new DiskException(Kind.IN_THE_WAY, directory.getFileName() + ": not empty", null);
    }
    names.remove(directory);
    namesChange(directory);
    unsyncedNames.add(new Renaming(directory.getParent(), directory, null, node));
  }

  @Override
  public void setMode(Path path, int mode) throws DiskException {
    step(Operation.SET_MODE, path);
    node(path).mode = mode;
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    step(Operation.SYNC_DIRECTORY, directory);
    for (Renaming renaming : List.copyOf(unsyncedNames)) {
      if (renaming.directory().equals(directory)) {
        unsyncedNames.remove(renaming);
        if (renaming.from() != null) {
          namesOnMedia.remove(renaming.from());
        }
        if (renaming.to() != null) {
          namesOnMedia.put(renaming.to(), renaming.node());
        }
      }
    }
  }

  @Override
  public int user() {
    return 0;
  }

  @Override
  public String filesystemType(Path directory) {
    return type;
  }

  @Override
  public Optional<HeldLock> tryLock(Path file) throws DiskException {
    step(Operation.LOCK, file);
    if (!names.containsKey(file)) {
      add(file, new Node(ids++, FileFacts.Kind.FILE, 0600));
    }
    return locked.add(file) ? Optional.of(() -> locked.remove(file)) : Optional.empty();
  }

  private final class Open implements DiskFile {

    private final Path name;
    private final Node node;
    private boolean closed;

    Open(Path name, Node node) {
      this.name = name;
      this.node = node;
      opened.add(name);
    }

    /** The name it has now, which is what a failure is told for. */
    private Path path() {
      return names.entrySet().stream()
          .filter(entry -> entry.getValue() == node)
          .map(Map.Entry::getKey)
          .findFirst()
          .orElse(name);
    }

    @Override
    public void write(long position, byte[] bytes) throws DiskException {
      step(Operation.WRITE, path());
      int end = (int) position + bytes.length;
      if (end > node.cache.length && used() + end - node.cache.length > space) {
        throw new DiskException(Kind.NO_SPACE, path().getFileName() + ": no space", null);
      }
      node.cache = grown(node.cache, end);
      System.arraycopy(bytes, 0, node.cache, (int) position, bytes.length);
      if (bytes.length > 0) {
        node.unsynced.add(new Change((int) position, bytes.clone()));
        node.modified = ++writes;
      }
    }

    @Override
    public void cut(long length) throws DiskException {
      step(Operation.CUT, path());
      Change cut = new Change((int) length, new byte[0]);
      node.cache = cut.cut(node.cache);
      node.unsynced.add(cut);
      node.modified = ++writes;
    }

    @Override
    public void sync() throws DiskException {
      step(Operation.SYNC, path());
      for (Change change : node.unsynced) {
        node.media = change.cut(node.media);
        if (change.bytes().length > 0) {
          node.media = grown(node.media, change.position() + change.bytes().length);
        }
        System.arraycopy(change.bytes(), 0, node.media, change.position(), change.bytes().length);
      }
      node.unsynced.clear();
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        opened.remove(name);
      }
    }
  }
}
