package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.internal.disk.FileFacts;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.Uncertainty;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A look at a journal that changes meanwhile, and at the kernel's table of locks. */
class JournalLookTest {

  private static final Path LOCK = Fixture.STATE.resolve("lock");
  private static final Path LOCKS = Path.of("/proc/locks");

  /** The device 12345678:9abcdef as a file shows it. */
  private static final long DEVICE = 0x12345L << 44 | 0x9abcdL << 20 | 0x678 << 8 | 0xef;

  private static final long PID = ProcessHandle.current().pid();

  private final Fixture fixture = new Fixture();
  private final FakeDisk disk = FakeDisk.with(Fixture.ROOT);
  private int reads;

  /** A journal that was closed, with a value. */
  private void write() {
    try (StateStore store = fixture.open(disk)) {
      store.put(Fixture.A, Fixture.value("one"), Durability.REQUIRED);
    }
  }

  private JournalLook look() {
    return JournalLook.at(lockedOn(disk), Fixture.STATE);
  }

  /** The same disk, where the lock is the file 77 of the device. */
  private static Disk lockedOn(FakeDisk disk) {
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(disk, arguments);
                return result instanceof Optional<?> facts && LOCK.equals(arguments[0])
                    ? facts.map(it -> onDevice((FileFacts) it))
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static FileFacts onDevice(FileFacts facts) {
    return new FileFacts(
        facts.kind(), DEVICE + ":77", facts.size(), facts.modified(), facts.mode(), facts.owner());
  }

  private StateException refusal() {
    try {
      look();
      throw new AssertionError("the look was to be refused");
    } catch (StateException e) {
      return e;
    }
  }

  // ---- a journal that changes

  /** Does this before each time that the segment is read, which are counted from 1. */
  private void beforeEachRead(Runnable change) {
    reads = 0;
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          if (operation == Operation.READ && path.equals(Fixture.segment(1))) {
            reads++;
            change.run();
          }
          return false;
        });
  }

  /** Puts so many bytes of a record that is being written behind the others. */
  private void tear(byte[] whole, int bytes) {
    int end = SegmentScan.of(whole).end();
    byte[] torn = whole.clone();
    Arrays.fill(torn, end, end + bytes, (byte) 1);
    disk.overwrite(Fixture.segment(1), torn);
  }

  @Test
  void aSegmentWithoutDamageIsReadOnce() {
    write();
    beforeEachRead(() -> {});

    assertThat(look().state().values()).containsOnlyKeys(Fixture.A);
    assertThat(reads).isEqualTo(1);
  }

  @Test
  void aDamagedSegmentThatDoesNotChangeIsReadTwice() {
    write();
    tear(disk.content(Fixture.segment(1)), 9);
    beforeEachRead(() -> {});

    assertThat(look().state().uncertainties())
        .extracting(Uncertainty::reason)
        .containsExactly(StateException.Reason.JOURNAL_TAIL_DROPPED);
    assertThat(reads).isEqualTo(2);
  }

  @Test
  void aSegmentThatIsBeingWrittenIsReadUntilItIsWhole() {
    write();
    byte[] whole = disk.content(Fixture.segment(1));
    beforeEachRead(() -> tear(whole, reads < 10 ? 10 * reads : 0));

    assertThat(look().state().uncertainties()).isEmpty();
    assertThat(reads).isEqualTo(10);
  }

  @Test
  void aSegmentThatIsNeverWholeIsReadTenTimes() {
    write();
    byte[] whole = disk.content(Fixture.segment(1));
    beforeEachRead(() -> tear(whole, 10 * reads));

    assertThat(look().state().uncertainties())
        .singleElement()
        .satisfies(
            doubt ->
                assertThat(doubt.text())
                    .as("the last of the looks")
                    .startsWith("The last 104 bytes are an incomplete record"));
    assertThat(reads).isEqualTo(10);
  }

  @ParameterizedTest
  @CsvSource({"NOT_FOUND,10,STATE_NOT_USABLE", "TOO_MANY_FILES,1,TOO_MANY_FILES"})
  void aSegmentThatIsGoneIsLookedForAgainAndOtherFailuresAreRefusals(
      Kind kind, int times, StateException.Reason reason) {
    write();
    disk.fail(
        kind,
        (operation, path) -> {
          boolean isSegment = operation == Operation.READ && path.equals(Fixture.segment(1));
          reads += isSegment ? 1 : 0;
          return isSegment;
        });

    assertThat(refusal())
        .hasMessage(
            "Reading the state in /disk/state failed: seg-00000001.j: told to fail. Let this"
                + " user read the directory and the files in it.")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    assertThat(reads).isEqualTo(times);
  }

  @Test
  void aSegmentThatIsGoneForAMomentIsRead() {
    write();
    disk.fail(
        Kind.NOT_FOUND,
        (operation, path) ->
            operation == Operation.READ && path.equals(Fixture.segment(1)) && reads++ < 9);

    assertThat(look().state().values()).containsOnlyKeys(Fixture.A);
  }

  // ---- what is there

  @Test
  void aDirectoryWithoutSegmentAndOwnerIsNoState() {
    disk.mkdir(Fixture.STATE);

    assertThat(refusal())
        .hasMessage(
            "Reading the state in /disk/state failed: it has no journal (neither a file seg-*.j "
                + "nor a file 'owner'). Give the directory of a journal.")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_MISSING));
  }

  @Test
  void aSegmentWithoutAnOwnerIsRead() {
    write();
    disk.erase(Fixture.STATE.resolve("owner"));

    assertThat(look().state().values()).containsOnlyKeys(Fixture.A);
    assertThat(look().owner()).isEmpty();
  }

  @Test
  void anOwnerWithoutASegmentIsAMissingState() {
    write();
    disk.erase(Fixture.segment(1));
    JournalLook look = look();

    assertThat(look.state().uncertainties())
        .extracting(Uncertainty::reason)
        .containsExactly(StateException.Reason.STATE_MISSING);
    assertThat(look.owner()).map(owner -> owner.pid()).contains(PID);
  }

  @Test
  void theStateOfANewerVersionIsRefused() {
    write();
    disk.overwrite(
        Fixture.segment(2),
        Arrays.copyOf(new Header(2, 2, 4096, Fixture.HOST).entry(9, 9).encode(), 4096));

    assertThat(refusal())
        .hasMessage(
            "Reading the state in /disk/state failed: a newer version of csi4j wrote it. Read it"
                + " with that version or a later one.")
        .satisfies(
            e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_FROM_NEWER_VERSION));
  }

  @Test
  void onlyTheFilesThatWereKeptAsideAreNamed() {
    write();
    disk.overwrite(Fixture.STATE.resolve("seg-00000001.j.damaged-4"), new byte[0]);
    disk.overwrite(Fixture.STATE.resolve("seg-00000001.j.damaged-"), new byte[0]);

    assertThat(look().keptAside()).containsExactly("seg-00000001.j.damaged-4");
  }

  // ---- the lock

  private boolean isHeld(String table) {
    disk.overwrite(LOCKS, table.replace("PID", "" + PID).getBytes(StandardCharsets.ISO_8859_1));
    return look().isHeld();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1: POSIX  ADVISORY  WRITE 1 12345678:9abcdef:77 0 EOF\n",
        "1: POSIX  ADVISORY  WRITE PID 00:2b:77 0 EOF\n",
        """
        1: FLOCK  ADVISORY  READ 5 00:2b:9 0 EOF
        2: OFDLCK ADVISORY  WRITE -1 12345678:9abcdef:77 0 EOF
        """
      })
  void theLockIsHeldAtItsPlaceOrByTheProcessOfTheOwner(String table) {
    write();

    assertThat(isHeld(table)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1: POSIX  ADVISORY  READ 1 12345678:9abcdef:77 0 EOF\n",
        "1: POSIX  ADVISORY  READ PID 12345678:9abcdef:77 0 EOF\n",
        "1: POSIX  ADVISORY  WRITE PID 12345678:9abcdef:7 0 EOF\n",
        "1: POSIX  ADVISORY  WRITE PID 12345678:9abcdef:777 0 EOF\n",
        "1: POSIX  ADVISORY  WRITE 1 00:2b:77 0 EOF\n",
        "1: POSIX  ADVISORY  WRITE 1 12345678:2b:77 0 EOF\n"
      })
  void anotherLockIsNotTheOneOfTheJournal(String table) {
    write();

    assertThat(isHeld(table)).isFalse();
  }

  @Test
  void withoutAnOwnerOnRecordOnlyThePlaceTells() {
    write();
    disk.erase(Fixture.STATE.resolve("owner"));

    assertThat(isHeld("1: POSIX  ADVISORY  WRITE 1 12345678:9abcdef:77 0 EOF\n")).isTrue();
    assertThat(isHeld("1: POSIX  ADVISORY  WRITE PID 00:2b:77 0 EOF\n")).isFalse();
  }

  @Test
  void withoutALockOrATableOfLocksNoneIsHeld() {
    write();
    assertThat(look().isHeld()).as("no table").isFalse();
    disk.erase(LOCK);

    assertThat(isHeld("1: POSIX  ADVISORY  WRITE PID 12345678:9abcdef:77 0 EOF\n")).isFalse();
  }

  @Test
  void aDirectoryThatDoesNotExistIsRefusedAsThat() {
    assertThatExceptionOfType(StateException.class)
        .isThrownBy(this::look)
        .withMessage(
            "Reading the state in /disk/state failed: there is no such directory. Give the"
                + " directory of a journal.");
  }
}
