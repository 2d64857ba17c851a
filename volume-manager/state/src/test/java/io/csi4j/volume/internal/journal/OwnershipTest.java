package io.csi4j.volume.internal.journal;

import static io.csi4j.volume.state.StateStore.Durability.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who owns a state, and what becomes of an owner whose lock was lost. */
class OwnershipTest {

  @TempDir Path directory;
  private final Fixture fixture = new Fixture();

  private JournalSettings settings() {
    return JournalSettings.builder()
        .segmentSize(4096)
        .acceptAnyFilesystem(true)
        .listener(fixture.events::add)
        .build();
  }

  @Test
  void anOwnerThatLostItsLockWritesNothingOnceAnotherHasTheState() {
    SwitchedDisk disk = new SwitchedDisk(new RealDisk());
    Journal old = Journal.open(disk, directory.resolve("state"), settings());
    old.put(Fixture.A, Fixture.value("one"), REQUIRED);
    disk.loseLocks();
    Journal fresh = Journal.open(disk, directory.resolve("state"), settings());
    fresh.put(Fixture.B, Fixture.value("two"), REQUIRED);

    for (int i = 0; i < 2; i++) {
      assertThatExceptionOfType(StateException.class)
          .isThrownBy(() -> old.put(Fixture.A, Fixture.value("late"), REQUIRED))
          .satisfies(
              e -> {
                assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_TAKEN_OVER);
                assertThat(e.owner()).contains(fresh.owner());
              });
      assertThatExceptionOfType(StateException.class)
          .isThrownBy(() -> old.remove(Fixture.A))
          .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_TAKEN_OVER));
    }
    assertThat(fixture.told(StateEvent.TakenOver.class)).hasSize(1);
    old.close();
    fresh.close();
    try (StateStore store = Journal.open(disk, directory.resolve("state"), settings())) {
      assertThat(store.load().value(Fixture.A)).contains(Fixture.value("one"));
      assertThat(store.load().value(Fixture.B)).contains(Fixture.value("two"));
    }
  }

  @Test
  void anOwnerThatLostItsLockDoesNotWriteWhatItRemembersWhenItIsClosed() {
    SwitchedDisk disk = new SwitchedDisk(new RealDisk());
    Journal old = Journal.open(disk, directory.resolve("state"), settings());
    old.put(Fixture.A, Fixture.value("one"), REQUIRED);
    disk.switchOff();
    old.remove(Fixture.A);
    disk.switchOn();
    disk.loseLocks();
    Journal fresh = Journal.open(disk, directory.resolve("state"), settings());
    old.close();
    fresh.put(Fixture.B, Fixture.value("two"), REQUIRED);
    fresh.close();

    try (StateStore store = Journal.open(disk, directory.resolve("state"), settings())) {
      assertThat(store.load().values()).containsOnlyKeys(Fixture.A, Fixture.B);
      assertThat(store.load().uncertainties()).isEmpty();
    }
    assertThat(fixture.told(StateEvent.Repaired.class)).isEmpty();
  }

  @Test
  @Tag("A24")
  void anOwnerSeesTheHigherEpochInTheSegmentAlone() throws Exception {
    FakeDisk disk = FakeDisk.with(Fixture.ROOT);
    Journal old = fixture.open(disk);
    byte[] bytes = disk.content(Fixture.segment(1));
    SegmentScan scan = SegmentScan.of(bytes);
    byte[] header = Header.of(1, 4096, Fixture.HOST).entry(2, 2).encode();
    System.arraycopy(header, 0, bytes, scan.end(), header.length);
    disk.overwrite(Fixture.segment(1), bytes);

    assertThatExceptionOfType(StateException.class)
        .as("A24: the first, which lost it, is refused its write")
        .isThrownBy(() -> old.put(Fixture.A, Fixture.value("late"), REQUIRED))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_TAKEN_OVER));
    old.close();
    assertThat(disk.content(Fixture.segment(1)))
        .as("A24: the first, which lost it, writes nothing")
        .isEqualTo(bytes);
  }

  @Test
  @Tag("I-11")
  void aCopyOfTheClassesInTheSameProcessIsRefused() throws Exception {
    Path state = directory.resolve("state");
    URL[] classes = {
      JournalStateStore.class.getProtectionDomain().getCodeSource().getLocation(),
      org.jspecify.annotations.NullMarked.class.getProtectionDomain().getCodeSource().getLocation()
    };
    try (JournalStateStore store = JournalStateStore.open(state, settings());
        URLClassLoader copy = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader())) {
      Class<?> settingsClass = copy.loadClass(JournalSettings.class.getName());
      Object builder = settingsClass.getMethod("builder").invoke(null);
      builder.getClass().getMethod("acceptAnyFilesystem", boolean.class).invoke(builder, true);
      Object settings = builder.getClass().getMethod("build").invoke(builder);
      Method open =
          copy.loadClass(JournalStateStore.class.getName())
              .getMethod("open", Path.class, settingsClass);

      assertThatExceptionOfType(InvocationTargetException.class)
          .as("I-11: refused though the classes are other ones")
          .isThrownBy(() -> open.invoke(null, state, settings))
          .satisfies(
              e ->
                  assertThat(e.getCause())
                      .hasMessageContaining("this process has it open already"));
      store.put(Fixture.A, Fixture.value("still the owner"), REQUIRED);
    }
  }

  @Test
  void theOwnerIsLegibleForAPerson() throws Exception {
    Path state = directory.resolve("state");
    try (JournalStateStore store = JournalStateStore.open(state, settings())) {
      assertThat(Files.readAllLines(state.resolve("owner")))
          .contains(
              "pid=" + ProcessHandle.current().pid(),
              "epoch=1",
              "process-start=" + store.owner().processStart());
      assertThat(store.owner().host().mountNamespace()).isPositive();
    }
  }

  @Test
  @Tag("F19")
  void nobodyElseCanReadTheFiles() throws Exception {
    Path state = directory.resolve("state");
    try (JournalStateStore store = JournalStateStore.open(state, settings())) {
      store.put(Fixture.A, Fixture.value("one"), REQUIRED);
      RealDisk disk = new RealDisk();
      assertThat(disk.facts(state))
          .as("F19: the state is for its owner alone")
          .hasValueSatisfying(it -> assertThat(it.mode()).isEqualTo(0700));
      List<String> names = disk.list(state);
      assertThat(names).containsExactly("ballast", "lock", "owner", "seg-00000001.j");
      for (String name : names) {
        assertThat(disk.facts(state.resolve(name)))
            .as(name)
            .hasValueSatisfying(it -> assertThat(it.mode()).isEqualTo(0600));
      }
    }
  }

  @Test
  void aLinkInPlaceOfTheDirectoryIsRefused() throws Exception {
    Files.createDirectory(directory.resolve("real"));
    Files.createSymbolicLink(directory.resolve("state"), directory.resolve("real"));

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> JournalStateStore.open(directory.resolve("state"), settings()))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE))
        .withMessageContaining("it is a LINK");
  }

  @Test
  void aDirectoryWithoutAParentIsARefusal() {
    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> JournalStateStore.open(directory.resolve("no/state"), settings()))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE));
  }
}
