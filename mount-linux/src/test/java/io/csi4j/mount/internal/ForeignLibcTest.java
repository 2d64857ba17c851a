package io.csi4j.mount.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.internal.kernel.Syscalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

@EnabledForJreRange(
    minVersion = 22,
    disabledReason = "java.lang.foreign came with Java 22: run the tests on a newer JVM (-Djvm)")
class ForeignLibcTest extends SyscallsContract {

  /** Not before a test is run. */
  private static final class Loaded {
    static final Syscalls CALLS = Bindings.load("foreign", ARCHITECTURE);
  }

  ForeignLibcTest() {
    super(Loaded.CALLS);
  }

  @Test
  void theBindingHasAName() {
    assertThat(Loaded.CALLS.binding()).isEqualTo("java.lang.foreign");
  }
}
