package io.csi4j.mount.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.UnmountPolicy;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What the tests of a contract have in common. */
public abstract class MountsContract {

  /** One attempt, without waiting. */
  protected static final UnmountPolicy ONCE = UnmountPolicy.PLAIN.withBusyLimit(Duration.ZERO);

  /** The place that the test is in; set before each test. */
  protected World world;

  MountResult bind(MountPath source, MountPath target) {
    return world.mounts().bind(BindRequest.builder(source, target).build());
  }

  MountRecord record(MountPath path) {
    return world.table().find(path).orElseThrow();
  }

  boolean isMount(MountPath path) {
    return world.table().probe(path) instanceof MountProbe.Mounted;
  }

  /** All mounts at a path, hidden ones too. */
  List<MountRecord> mountsAt(MountPath path) {
    return world.table().list(record -> record.path().equals(path)).records();
  }

  /** All mounts at or below a path. */
  List<MountRecord> mountsWithin(MountPath path) {
    return world.table().list(record -> record.path().isWithin(path)).records();
  }

  static MountException refusal(Reason reason, ThrowingCallable call) {
    MountException refusal =
        assertThatExceptionOfType(MountException.class).isThrownBy(call).actual();
    assertThat(refusal.reason()).as(refusal.getMessage()).isEqualTo(reason);
    return refusal;
  }

  static String errno(MountException refusal) {
    return refusal.errno().orElseThrow().name();
  }
}
