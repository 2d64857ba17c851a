package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumePermission;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Holds docs/tenants.md to what compiles and decides as it says. */
class TenantsPageTest {

  private static final VolumeIdentity DISK =
      new VolumeIdentity(PluginId.of("ebs.csi.example"), VolumeId.of("vol-7"));

  @Test
  void theOwnerMayUseItsVolumeAndAnotherTenantMayNot() {
    VolumePermission permission = TenantSnippets.permission(Map.of(DISK, Namespace.of("shop")));

    assertThat(wish("shop", Optional.of(DISK)).isPermittedBy(permission)).isTrue();
    assertThat(wish("bank", Optional.of(DISK)).isPermittedBy(permission)).isFalse();
    assertThat(wish("bank", Optional.empty()).isPermittedBy(permission)).isTrue();
    assertThat(TenantSnippets.settings(permission).permission()).isSameAs(permission);
  }

  @Test
  void thePolicyOfThePageAllowsWhatItSays() {
    var policy = TenantSnippets.flags().mountFlags();
    assertThat(policy.refusal(MountFlags.of("noatime", "discard", "nosuid"))).isEmpty();
    assertThat(policy.refusal(MountFlags.of("credentials=/etc/shadow")))
        .contains(
            new ReasonText(
                "flag 1 of 1, 'credentials', is not on the host's list of flags that are"
                    + " allowed"));
  }

  private static VolumePermission.Request wish(String namespace, Optional<VolumeIdentity> volume) {
    return new VolumePermission.Request(
        VolumeUse.of(new VolumeKey(Namespace.of(namespace), "db"), WorkloadId.of("web-1")),
        volume,
        false);
  }
}
