package io.csi4j.volume.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.state.StateStore.Durability;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The store in memory keeps the contract, and shows the doubts that it was given. */
class MemoryMediumTest extends StateStoreContract {

  private final MemoryMedium medium = MemoryMedium.create();

  @Override
  protected StateStore open() {
    return medium.open();
  }

  @Override
  protected void crash(StateStore store) {
    medium.crash();
  }

  @Override
  protected void refuseWrites() {
    medium.refuse(StateException.Reason.STATE_DISK_FULL);
  }

  @Override
  protected void acceptWrites() {
    medium.accept();
  }

  @Test
  void aPowerCutLeavesAsManyOfTheDeferredWritesAsItIsTold() {
    StateStore store = medium.open();
    store.put(VOLUME, value("one"), Durability.REQUIRED);
    store.put(VOLUME, value("two"), Durability.DEFERRED);
    store.put(VOLUME, value("three"), Durability.DEFERRED);
    assertThat(medium.deferred()).isEqualTo(2);
    medium.cutPower(1);

    assertThat(medium.deferred()).isZero();
    assertThat(medium.open().load().value(VOLUME)).contains(value("two"));
  }

  @Test
  void aDoubtComesBackUntilItIsSettled() {
    Uncertainty doubt =
        Uncertainty.about(StateException.Reason.JOURNAL_DAMAGED, List.of(VOLUME), "damaged");
    medium.doubt(doubt);
    try (StateStore store = medium.open()) {
      assertThat(store.load().uncertainties()).containsExactly(doubt);
    }
    try (StateStore store = medium.open()) {
      assertThat(store.load().isDoubtful(VOLUME)).isTrue();
      store.settle();
      assertThat(store.load().uncertainties()).isEmpty();
    }
    try (StateStore store = medium.open()) {
      assertThat(store.load().uncertainties()).isEmpty();
    }
  }
}
