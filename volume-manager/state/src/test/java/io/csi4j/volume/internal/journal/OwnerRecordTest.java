package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.state.StateStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The record that an owner leaves of itself. */
class OwnerRecordTest {

  private static final Path OWNER = Fixture.STATE.resolve("owner");

  private final FakeDisk disk = FakeDisk.with(Fixture.ROOT);
  private final Ownership ownership = new Ownership(disk, Fixture.STATE);

  OwnerRecordTest() {
    disk.mkdir(Fixture.STATE);
  }

  private static StateStore.Owner owner(long epoch) {
    return new StateStore.Owner(17, Instant.ofEpochSecond(99), epoch, Fixture.HOST);
  }

  @Test
  void theRecordIsReadBackAndIsOnTheMedium() throws DiskException {
    ownership.record(owner(1));
    disk.syncDirectory(Fixture.STATE);
    ownership.record(owner(2));

    assertThat(ownership.recorded()).contains(owner(2));
    assertThat(disk.content(OWNER)).hasSize(512);
    assertThat(disk.opened()).isEmpty();
    Random choice = new Random(1);
    for (int cut = 0; cut < 8; cut++) {
      FakeDisk again = disk.restart(choice);
      assertThat(new Ownership(again, Fixture.STATE).recorded()).contains(owner(2));
    }
  }

  @Test
  void aRecordThatAnotherProgramTouchedIsNotUntouched() throws DiskException {
    assertThat(ownership.isUntouched()).as("none was written").isTrue();
    ownership.record(owner(1));
    assertThat(ownership.isUntouched()).isTrue();
    disk.overwrite(OWNER, disk.content(OWNER));
    assertThat(ownership.isUntouched()).isFalse();
    ownership.record(owner(1));
    assertThat(ownership.isUntouched()).isTrue();
    disk.erase(OWNER);
    assertThat(ownership.isUntouched()).isFalse();
  }

  @Test
  void theLockIsHeldUntilItIsReleased() throws DiskException {
    Ownership other = new Ownership(disk, Fixture.STATE);
    assertThat(ownership.acquire()).isTrue();
    assertThat(ownership.acquire()).as("it has it").isTrue();
    assertThat(other.acquire()).isFalse();
    assertThat(other.isHeld()).isFalse();
    ownership.release();

    assertThat(ownership.isHeld()).isFalse();
    assertThat(other.acquire()).isTrue();
    ownership.release();
    assertThat(ownership.acquire()).isFalse();
  }

  @Test
  void whatIsNoRecordOfAnOwnerIsNone() {
    assertThat(ownership.recorded()).isEmpty();
    disk.overwrite(OWNER, new byte[512]);
    assertThat(ownership.recorded()).isEmpty();
  }
}
