package io.csi4j.mount.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a record of a mount shows to people. */
class MountRecordTest {

  @Test
  void aUserAndAPasswordInTheSourceAreNotShown() {
    MountRecord record =
        new MountRecord(
            new MountRef(MountPath.of("/a"), "boot", new MountRef.Identity.Unique(7)),
            1,
            1,
            OptionalLong.empty(),
            new DeviceId(0, 40),
            KernelText.of("/"),
            Set.of(),
            new Propagation.Tags(OptionalInt.empty(), OptionalInt.empty(), false, List.of()),
            KernelText.of("cifs"),
            KernelText.of("//tom:secret@server/share"),
            List.of());

    assertThat(record.source().withoutCredentials()).isEqualTo("//…@server/share");
    assertThat(record)
        .asString()
        .contains("(cifs //…@server/share, root /")
        .doesNotContain("secret");
  }
}
