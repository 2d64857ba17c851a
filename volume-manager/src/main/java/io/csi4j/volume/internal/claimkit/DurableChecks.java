package io.csi4j.volume.internal.claimkit;

import io.csi4j.volume.VolumeKey;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.StoreIdentity;
import io.csi4j.volume.claim.Versioned;
import java.util.List;
import java.util.Optional;

/** What was written outlives the one who wrote it. */
final class DurableChecks {

  private DurableChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "all is there when a store is opened again",
        scene -> {
          List<Versioned> written =
              Samples.trickyKeys().stream().map(key -> scene.write(key, "w")).toList();
          scene.reopened();
          written.forEach(
              now -> Scene.same(scene.read(now.claim().volume()), now, "What was written before"));
          Scene.same(
              scene.store().scan(Optional.empty(), 100), written, "A scan after opening again");
        });
    all.add(
        "every form of a claim outlives closing",
        scene -> {
          List<Claim> forms = Samples.everyForm(Samples.DB);
          for (int i = 0; i < forms.size(); i += 7) {
            Versioned now = scene.write(scene.read(Samples.DB), forms.get(i));
            scene.reopened();
            Scene.same(scene.read(Samples.DB), now, "A claim after opening again");
          }
        });
    all.add(
        "the name of a store outlives closing",
        scene -> {
          StoreIdentity before = scene.store().identity();
          Scene.same(
              scene.reopened().identity(), before, "The identity after opening an empty store");
          scene.write(Samples.DB, "a");
          Scene.same(scene.reopened().identity(), before, "The identity after opening again");
        });
    all.add(
        "versions go on when a store is opened again",
        scene -> {
          Versioned at = scene.write(Samples.DB, "a");
          for (int i = 0; i < 5; i++) {
            scene.reopened();
            Versioned now = scene.write(scene.read(Samples.DB), Samples.held(Samples.DB, "w-" + i));
            Scene.check(
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
          Versioned first = scene.write(Samples.DB, "a");
          Versioned second = scene.write(first, Claim.none(Samples.DB));
          scene.reopened();
          Scene.same(
              scene.conflict(first.version(), Samples.held(Samples.DB, "late")).now(),
              second,
              "What the conflict says is there");
          Versioned third = scene.write(second, Samples.held(Samples.DB, "b"));
          Scene.same(scene.read(Samples.DB), third, "What was written with a version of before");
        });
    all.add(
        "what was written while a store was closed is there afterwards",
        scene -> {
          List<Versioned> last = LifeChecks.noneIsLostByClosing(scene);
          scene.reopened();
          for (Versioned told : last) {
            VolumeKey key = told.claim().volume();
            Scene.check(
                scene.read(key).version().compareTo(told.version()) >= 0,
                "Version " + told.version() + " of " + key + " was written, and is gone.");
          }
        });
  }
}
