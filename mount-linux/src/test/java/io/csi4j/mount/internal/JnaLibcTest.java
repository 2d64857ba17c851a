package io.csi4j.mount.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.internal.kernel.Syscalls;
import org.junit.jupiter.api.Test;

class JnaLibcTest extends SyscallsContract {

  private static final Syscalls CALLS = Bindings.load("jna", ARCHITECTURE);

  JnaLibcTest() {
    super(CALLS);
  }

  @Test
  void theBindingSaysWhyItIsNotTheOther() {
    assertThat(CALLS.binding()).isEqualTo("JNA: -Dcsi4j.mount.binding=jna asks for it");
  }
}
