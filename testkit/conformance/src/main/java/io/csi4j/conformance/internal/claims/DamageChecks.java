package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.Scene.check;
import static io.csi4j.conformance.internal.claims.Scene.same;

import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A claim that cannot be read is reported and hides no other. */
final class DamageChecks {

  private DamageChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "a claim that cannot be read is refused, and the others are read",
        scene -> {
          List<VolumeKey> keys = SampleClaims.keys(3);
          List<Versioned> written = keys.stream().map(key -> scene.write(key, "w")).toList();
          scene.damage(keys.get(1));
          try {
            check(false, "A damaged claim was read as " + scene.read(keys.get(1)) + ".");
          } catch (RecordStoreException e) {
            same(e.reason(), Reason.UNREADABLE, "The reason");
          }
          same(scene.read(keys.get(2)), written.get(2), "Another claim");
        });
    all.add(
        "a scan names the claim that cannot be read, and shows the others",
        scene -> {
          List<VolumeKey> keys = SampleClaims.keys(4);
          keys.forEach(key -> scene.write(key, "w"));
          scene.damage(keys.get(1));
          scene.damage(keys.get(3));
          for (int limit : List.of(1, 2, 3, 100)) {
            List<VolumeKey> read = new ArrayList<>();
            List<Optional<VolumeKey>> unreadable = new ArrayList<>();
            Optional<VolumeKey> after = Optional.empty();
            int pages = 0;
            do {
              ClaimPage page = scene.store().scan(after, limit);
              read.addAll(Scene.keys(page.claims()));
              page.unreadable().forEach(each -> unreadable.add(each.volume()));
              after = page.next();
              pages++;
              check(pages <= 1_000, "A scan does not come to an end.");
            } while (after.isPresent());
            same(read, List.of(keys.get(0), keys.get(2)), "A scan");
            same(
                unreadable,
                List.of(Optional.of(keys.get(1)), Optional.of(keys.get(3))),
                "What a scan cannot read");
          }
        });
  }
}
