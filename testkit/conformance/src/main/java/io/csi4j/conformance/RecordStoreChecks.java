package io.csi4j.conformance;

import io.csi4j.conformance.internal.store.AllChecks;
import io.csi4j.conformance.store.RecordStoreCheck;
import io.csi4j.conformance.store.RecordStoreFixture;
import java.util.List;

/**
 * The guarantees of every {@link io.csi4j.volume.store.RecordStore}, as a list of checks. In JUnit,
 * create a dynamic test for each check from its name and {@link RecordStoreCheck#run()}.
 *
 * @since 1.0
 */
public final class RecordStoreChecks {

  private RecordStoreChecks() {}

  /** Returns the checks for the stores of this fixture, always in the same order. */
  public static List<RecordStoreCheck> of(RecordStoreFixture fixture) {
    return AllChecks.of(fixture);
  }
}
