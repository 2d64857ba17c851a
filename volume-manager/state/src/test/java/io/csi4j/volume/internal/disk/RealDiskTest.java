package io.csi4j.volume.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.state.HostIdentity;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The disk of the host and the disk in memory do the same with each call. */
class RealDiskTest {

  @TempDir static Path directory;
  private static int count;

  /** A disk and a directory on it. */
  record Place(Disk disk, Path root) {
    @Override
    public String toString() {
      return disk.getClass().getSimpleName();
    }
  }

  static Stream<Place> places() throws IOException {
    Path root = Files.createDirectory(directory.resolve("root" + count++));
    Path fake = Path.of("/fake");
    return Stream.of(new Place(new RealDisk(), root), new Place(FakeDisk.with(fake), fake));
  }

  @AfterEach
  void clearTheInterrupt() {
    Thread.interrupted();
  }

  private static void fails(Kind kind, ThrowingCallable call) {
    assertThatExceptionOfType(DiskException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.kind()).isEqualTo(kind));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void write(Place place, Path file, String text) throws DiskException {
    try (DiskFile open = place.disk().create(file)) {
      open.write(0, bytes(text));
      open.sync();
    }
  }

  @ParameterizedTest
  @MethodSource("places")
  void whatIsWrittenIsRead(Place place) throws DiskException {
    Path file = place.root().resolve("f");
    write(place, file, "hello");
    try (DiskFile open = place.disk().open(file)) {
      open.write(3, bytes("p me"));
      open.write(9, bytes("!"));
      open.sync();
    }

    assertThat(place.disk().read(file, 100)).isEqualTo(bytes("help me\0\0!"));
    assertThat(place.disk().read(file, 4)).isEqualTo(bytes("help"));
  }

  @ParameterizedTest
  @MethodSource("places")
  void whatIsCutIsGone(Place place) throws DiskException {
    Path file = place.root().resolve("f");
    write(place, file, "hello");
    try (DiskFile open = place.disk().open(file)) {
      open.cut(2);
      open.write(3, bytes("p"));
      open.sync();
    }

    assertThat(place.disk().read(file, 100)).isEqualTo(bytes("he\0p"));
  }

  @ParameterizedTest
  @MethodSource("places")
  void whatIsMadeIsForTheOwnerOnly(Place place) throws DiskException {
    Path made = place.root().resolve("d");
    place.disk().createDirectory(made);
    write(place, made.resolve("f"), "x");

    assertThat(place.disk().facts(made))
        .hasValueSatisfying(
            facts -> {
              assertThat(facts.kind()).isEqualTo(FileFacts.Kind.DIRECTORY);
              assertThat(facts.mode()).isEqualTo(0700);
            });
    assertThat(place.disk().facts(made.resolve("f")))
        .hasValueSatisfying(
            facts -> {
              assertThat(facts.kind()).isEqualTo(FileFacts.Kind.FILE);
              assertThat(facts.mode()).isEqualTo(0600);
              assertThat(facts.size()).isEqualTo(1);
            });
    place.disk().setMode(made, 0750);
    assertThat(place.disk().facts(made).orElseThrow().mode()).isEqualTo(0750);
    assertThat(place.disk().facts(made.resolve("no"))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("places")
  void aRenameReplacesWhatWasThere(Place place) throws DiskException {
    Path from = place.root().resolve("from");
    Path to = place.root().resolve("to");
    write(place, from, "new");
    write(place, to, "old");
    String identity = place.disk().facts(from).orElseThrow().identity();
    place.disk().rename(from, to);
    place.disk().syncDirectory(place.root());

    assertThat(place.disk().list(place.root())).containsExactly("to");
    assertThat(place.disk().read(to, 9)).isEqualTo(bytes("new"));
    assertThat(place.disk().facts(to).orElseThrow().identity()).isEqualTo(identity);
  }

  @ParameterizedTest
  @MethodSource("places")
  void whatIsMissingOrInTheWayHasItsOwnName(Place place) throws DiskException {
    Path file = place.root().resolve("f");
    Path missing = place.root().resolve("missing");
    write(place, file, "x");

    fails(Kind.IN_THE_WAY, () -> place.disk().create(file));
    fails(Kind.IN_THE_WAY, () -> place.disk().createDirectory(file));
    fails(Kind.NOT_FOUND, () -> place.disk().open(missing));
    fails(Kind.NOT_FOUND, () -> place.disk().read(missing, 1));
    fails(Kind.NOT_FOUND, () -> place.disk().list(missing));
    fails(Kind.NOT_FOUND, () -> place.disk().rename(missing, file));
    fails(Kind.NOT_FOUND, () -> place.disk().createDirectory(missing.resolve("below")));
    place.disk().deleteFile(missing);
    assertThat(place.disk().list(place.root())).containsExactly("f");
  }

  @ParameterizedTest
  @MethodSource("places")
  void onlyAnEmptyDirectoryIsRemoved(Place place) throws DiskException {
    Path made = place.root().resolve("d");
    place.disk().createDirectory(made);
    write(place, made.resolve("f"), "x");

    fails(Kind.IN_THE_WAY, () -> place.disk().removeDirectory(made));
    place.disk().deleteFile(made.resolve("f"));
    place.disk().removeDirectory(made);
    assertThat(place.disk().list(place.root())).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("places")
  void aLockIsHeldOnce(Place place) throws DiskException {
    Path file = place.root().resolve("lock");
    HeldLock lock = place.disk().tryLock(file).orElseThrow();

    assertThat(place.disk().tryLock(file)).isEmpty();
    lock.close();
    Optional<HeldLock> next = place.disk().tryLock(file);
    assertThat(next).isPresent();
    next.get().close();
  }

  @ParameterizedTest
  @MethodSource("places")
  void aChangeOfBytesShowsInTheFacts(Place place) throws DiskException {
    Path file = place.root().resolve("f");
    write(place, file, "x");
    FileFacts before = place.disk().facts(file).orElseThrow();
    assertThat(place.disk().facts(file)).contains(before);
    try (DiskFile open = place.disk().open(file)) {
      open.write(0, bytes("longer"));
    }

    assertThat(place.disk().facts(file).orElseThrow()).isNotEqualTo(before);
  }

  @Test
  void theNumberOfADirectoryThatIsHeldIsGivenToNoOther() throws Exception {
    RealDisk disk = new RealDisk();
    Path path = directory.resolve("held");
    Files.createDirectory(path);
    try (HeldDirectory held = disk.hold(path)) {
      assertThat(disk.look(path)).map(FileLook::identity).contains(held.identity());
      for (int i = 0; i < 20; i++) {
        Files.delete(path);
        Files.createDirectory(path);
        assertThat(disk.look(path))
            .map(FileLook::identity)
            .isPresent()
            .isNotEqualTo(Optional.of(held.identity()));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("places")
  void aLookTellsThatAFileWasWrittenOrReplaced(Place place) throws DiskException {
    Path file = place.root().resolve("f");
    write(place, file, "one");
    FileLook before = place.disk().look(file).orElseThrow();
    assertThat(place.disk().look(file)).contains(before);

    FileLook written = before;
    try (DiskFile open = place.disk().open(file)) {
      // Two writes in one tick of the kernel's clock have the same time.
      while (written.equals(before)) {
        open.write(0, bytes("two"));
        written = place.disk().look(file).orElseThrow();
      }
    }
    assertThat(written.identity()).isEqualTo(before.identity());
    assertThat(written.size()).isEqualTo(before.size());
    assertThat(written.modified()).isGreaterThan(before.modified());

    Path other = place.root().resolve("g");
    write(place, other, "two");
    place.disk().rename(other, file);
    assertThat(place.disk().look(file).orElseThrow().identity()).isNotEqualTo(before.identity());
    assertThat(place.disk().look(other)).isEmpty();
  }

  @Test
  void aFileThatSaysItHasNoLengthIsReadToItsEnd() throws IOException {
    Path file = Path.of("/proc/self/mountinfo");
    byte[] all = Files.readAllBytes(file);
    Disk disk = new RealDisk();

    assertThat(disk.read(file, 1 << 20)).isEqualTo(all);
    for (int limit : new int[] {0, 1, all.length - 1, all.length, all.length + 1}) {
      assertThat(disk.read(file, limit)).isEqualTo(Arrays.copyOf(all, Math.min(limit, all.length)));
    }
  }

  @ParameterizedTest
  @MethodSource("places")
  void theStatusIsPartOfAllFacts(Place place) throws DiskException {
    Disk disk = place.disk();
    Path file = place.root().resolve("f");
    write(place, file, "hello");
    Path directory = place.root().resolve("d");
    disk.createDirectory(directory);

    assertThat(disk.status(file)).contains(new FileStatus(FileFacts.Kind.FILE, 0600, 5));
    for (int mode : new int[] {0700, 0751, 0500, 0}) {
      disk.setMode(directory, mode);
      FileFacts facts = disk.facts(directory).orElseThrow();

      assertThat(disk.status(directory))
          .contains(new FileStatus(FileFacts.Kind.DIRECTORY, mode, facts.size()));
      assertThat(facts.mode()).isEqualTo(mode);
    }
    assertThat(disk.status(place.root().resolve("missing"))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("places")
  void aFileIsWrittenAtOnceAndOnlyIfItIsNotThere(Place place) throws DiskException {
    Disk disk = place.disk();
    Path file = place.root().resolve("f");

    disk.write(file, bytes("hello"));

    assertThat(disk.status(file)).contains(new FileStatus(FileFacts.Kind.FILE, 0600, 5));
    assertThat(disk.read(file, 9)).isEqualTo(bytes("hello"));
    assertThatExceptionOfType(DiskException.class)
        .isThrownBy(() -> disk.write(file, bytes("x")))
        .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.IN_THE_WAY));
    assertThat(disk.read(file, 9)).isEqualTo(bytes("hello"));
  }

  @Test
  void theKindOfWhatIsNeitherAFileNorADirectory() throws IOException {
    Path file = Files.createFile(directory.resolve("linked"));
    Path link = Files.createSymbolicLink(directory.resolve("l"), file);
    Path socket = directory.resolve("s");
    Disk disk = new RealDisk();

    try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listening.bind(UnixDomainSocketAddress.of(socket));

      assertThat(kind(disk, link)).contains(FileFacts.Kind.LINK);
      assertThat(kind(disk, socket)).contains(FileFacts.Kind.SOCKET);
      assertThat(kind(disk, Path.of("/dev/null"))).contains(FileFacts.Kind.OTHER);
    }
  }

  private static Optional<FileFacts.Kind> kind(Disk disk, Path path) throws DiskException {
    return disk.status(path).map(FileStatus::kind);
  }

  @Test
  void anInterruptedThreadCanDoEverythingAndStaysInterrupted() throws IOException {
    Path root = Files.createDirectory(directory.resolve("interrupted"));
    Disk disk = new RealDisk();
    Thread.currentThread().interrupt();
    Path file = root.resolve("f");
    try (DiskFile open = disk.create(file)) {
      open.write(0, bytes("x"));
      open.sync();
    }
    disk.syncDirectory(root);
    disk.rename(file, root.resolve("g"));
    assertThat(disk.read(root.resolve("g"), 9)).isEqualTo(bytes("x"));
    assertThat(disk.list(root)).containsExactly("g");
    disk.tryLock(root.resolve("lock")).orElseThrow().close();
    disk.createDirectory(root.resolve("d"));
    disk.removeDirectory(root.resolve("d"));
    disk.write(root.resolve("w"), bytes("y"));
    assertThat(disk.read(root.resolve("w"), 9)).isEqualTo(bytes("y"));

    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }

  @Test
  void aDirectoryIsNoFileAndAFileNoDirectory() throws IOException {
    Path root = Files.createDirectory(directory.resolve("kinds"));
    Disk disk = new RealDisk();
    disk.createDirectory(root.resolve("d"));
    disk.create(root.resolve("f")).close();

    fails(Kind.FAILED, () -> disk.deleteFile(root.resolve("d")));
    fails(Kind.FAILED, () -> disk.removeDirectory(root.resolve("f")));
    Files.createSymbolicLink(root.resolve("link"), root.resolve("d"));
    fails(Kind.FAILED, () -> disk.removeDirectory(root.resolve("link")));
    assertThat(disk.list(root)).containsExactly("d", "f", "link");
  }

  @Test
  void aLinkIsNotFollowed() throws IOException {
    Path root = Files.createDirectory(directory.resolve("links"));
    Files.writeString(root.resolve("real"), "x");
    Files.createSymbolicLink(root.resolve("link"), root.resolve("real"));
    Disk disk = new RealDisk();

    assertThat(disk.facts(root.resolve("link")).orElseThrow().kind())
        .isEqualTo(FileFacts.Kind.LINK);
    fails(Kind.FAILED, () -> disk.open(root.resolve("link")));
    fails(Kind.FAILED, () -> disk.tryLock(root.resolve("link")));
    disk.deleteFile(root.resolve("link"));
    assertThat(disk.list(root)).containsExactly("real");
  }

  @Tag("F18")
  @Test
  void aQuotaThatIsUsedUpIsAFullDisk() {
    DiskException failure =
        RealDisk.failure(
            Path.of("/d/f"), new IOException("Disk quota exceeded"), path -> Optional.empty());

    assertThat(failure.kind())
        .as("F18: a quota that is used up is a full disk")
        .isEqualTo(Kind.NO_SPACE);
    assertThat(failure).hasMessage("f: Disk quota exceeded");
  }

  @ParameterizedTest
  @CsvSource({
    "No space left on device,NO_SPACE",
    "Read-only file system,READ_ONLY",
    "Too many open files,TOO_MANY_FILES",
    "Input/output error,FAILED",
    "Kein Speicherplatz,READ_ONLY"
  })
  void aFailureIsNamedByTheTextOrElseByTheFilesystem(String text, Kind kind) {
    Function<Path, Optional<Kind>> state =
        path -> text.startsWith("Kein") ? Optional.of(Kind.READ_ONLY) : Optional.<Kind>empty();
    DiskException failure = RealDisk.failure(Path.of("/d/f"), new IOException(text), state);

    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure).hasMessage("f: " + text);
  }

  static Stream<Arguments> exceptionsWithoutAText() {
    String path = "/d/f";
    return Stream.of(
        Arguments.of(new AccessDeniedException(path), Kind.DENIED, "this user may not access it"),
        Arguments.of(
            new NoSuchFileException(path), Kind.NOT_FOUND, "there is no such file or directory"),
        Arguments.of(new FileAlreadyExistsException(path), Kind.IN_THE_WAY, "it exists already"),
        Arguments.of(
            new DirectoryNotEmptyException(path), Kind.IN_THE_WAY, "the directory is not empty"),
        Arguments.of(new NotDirectoryException(path), Kind.IN_THE_WAY, "it is not a directory"));
  }

  @ParameterizedTest
  @MethodSource("exceptionsWithoutAText")
  void aFailureWithoutATextIsDescribedByItsType(IOException thrown, Kind kind, String reason) {
    DiskException failure = RealDisk.failure(Path.of("/d/f"), thrown, path -> Optional.empty());

    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure).hasMessage("f: " + reason);
  }

  @Test
  void thisHostHasABootAndANamespaceAndHidesItsMachineId() throws IOException {
    HostIdentity here = HostIdentity.current();

    assertThat(here).isEqualTo(HostIdentity.current());
    assertThat(here.boot().value()).hasSize(36);
    assertThat(here.mountNamespace()).isPositive();
    Path machine = Path.of("/etc/machine-id");
    if (Files.exists(machine)) {
      assertThat(here.host().value()).isNotEqualTo(Files.readString(machine).strip());
    }
  }

  @Test
  void theTypeOfAFilesystemIsTheKernelsWord() throws DiskException {
    assertThat(new RealDisk().filesystemType(Path.of("/proc"))).isEqualTo("proc");
  }
}
