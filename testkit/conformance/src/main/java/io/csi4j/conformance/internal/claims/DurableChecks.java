package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.SampleClaims.DB;
import static io.csi4j.conformance.internal.claims.SampleClaims.held;
import static io.csi4j.conformance.internal.claims.Scene.check;
import static io.csi4j.conformance.internal.claims.Scene.same;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.model.VolumeKey;
import java.util.List;

/** Written claims outlive their writer. */
final class DurableChecks {

  private DurableChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "all is there when a store is opened again",
        scene -> {
          List<Versioned> written =
              SampleClaims.trickyKeys().stream().map(key -> scene.write(key, "w")).toList();
          scene.reopened();
          written.forEach(
              now -> same(scene.read(now.claim().volume()), now, "What was written before"));
          same(scene.scanned(), written, "A scan after opening again");
        });
    all.add(
        "every form of a claim outlives closing",
        scene -> {
          List<Claim> forms = SampleClaims.everyForm(DB);
          for (int i = 0; i < forms.size(); i += 7) {
            Versioned now = scene.write(scene.read(DB), forms.get(i));
            scene.reopened();
            scene.isThere(now, "A claim after opening again");
          }
        });
    all.add(
        "the name of a store outlives closing",
        scene -> {
          StoreIdentity before = scene.store().identity();
          same(scene.reopened().identity(), before, "The identity after opening an empty store");
          scene.write(DB, "a");
          same(scene.reopened().identity(), before, "The identity after opening again");
        });
    all.add(
        "versions go on when a store is opened again",
        scene -> {
          Versioned at = scene.write(DB, "a");
          for (int i = 0; i < 5; i++) {
            scene.reopened();
            Versioned now = scene.write(scene.read(DB), held(DB, "w-" + i));
            check(
                now.version().compareTo(at.version()) > 0,
                "A write after opening again was given version "
                    + now.version()
                    + ", and there was "
                    + at.version()
                    + " before.");
            at = now;
          }
        });
    all.add(
        "who expects a version of before the closing is told what is there",
        scene -> {
          Versioned first = scene.write(DB, "a");
          Versioned second = scene.write(first, Claim.none(DB));
          scene.reopened();
          scene.isToldByConflict(first.version(), held(DB, "late"), second);
          Versioned third = scene.write(second, held(DB, "b"));
          scene.isThere(third, "What was written with a version of before");
        });
    all.add(
        "what was written while a store was closed is there afterwards",
        scene -> {
          List<Versioned> last = LifeChecks.noneIsLostByClosing(scene);
          scene.reopened();
          for (Versioned told : last) {
            VolumeKey key = told.claim().volume();
            check(
                scene.read(key).version().compareTo(told.version()) >= 0,
                "Version " + told.version() + " of " + key + " was written, and is gone.");
          }
        });
  }
}
