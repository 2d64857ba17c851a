package io.csi4j.mount.internal.table;

import io.csi4j.mount.model.DeviceId;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.Propagation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A whole table as text in which all fields of all rows were found, so that creating mounts from it
 * cannot fail.
 *
 * @param pages the text, none of them without rows
 * @param size the number of valid rows
 * @param skipped the number of invalid rows
 */
record ScannedRows(List<RowPage> pages, int size, int skipped) {

  /** Copies the list. */
  ScannedRows {
    pages = List.copyOf(pages);
  }

  /** Returns the number of all rows. */
  int count() {
    return size + skipped;
  }

  /** Receives a row. */
  interface Visitor {
    void row(RowPage page, int row);
  }

  /** Visits each valid row, in the kernel's order. */
  void forEach(Visitor visitor) {
    for (RowPage page : pages) {
      for (int row = 0; row < page.rows(); row++) {
        visitor.row(page, row);
      }
    }
  }

  /** Returns the mounts, in the kernel's order. */
  List<MountRecord> records(String bootId, RowNames names) {
    RecordMaker maker = new RecordMaker(bootId, names);
    List<MountRecord> records = new ArrayList<>(size);
    forEach((page, row) -> records.add(maker.make(page, row)));
    return records;
  }

  /** Creates mounts from the rows of one table, whose fields have been found. For one thread. */
  private static final class RecordMaker {

    private final String bootId;
    private final RowNames names;
    private final SharedTexts<KernelText> roots = new SharedTexts<>(RecordMaker::name);
    private final SharedTexts<KernelText> types = new SharedTexts<>(RecordMaker::name);
    private final SharedTexts<KernelText> sources = new SharedTexts<>(RecordMaker::name);
    private final SharedTexts<Set<MountFlag>> flags = new SharedTexts<>(RowFields::flags);
    private final SharedTexts<Propagation.Tags> tags = new SharedTexts<>(RowFields::propagation);
    private final SharedTexts<List<KernelText>> options = new SharedTexts<>(RowFields::options);
    private DeviceId lastDevice = new DeviceId(0, 0);

    RecordMaker(String bootId, RowNames names) {
      this.bootId = bootId;
      this.names = names;
    }

    /** Returns the mount of a row. */
    MountRecord make(RowPage page, int row) {
      byte[] text = page.text();
      int id = page.get(row, RowPage.ID);
      int parent = page.get(row, RowPage.PARENT);
      int place = page.get(row, RowPage.PLACE);
      DeviceId device = device(page.get(row, RowPage.MAJOR), page.get(row, RowPage.MINOR));
      int path = page.get(row, RowPage.PATH);
      int flagsFrom = page.get(row, RowPage.FLAGS);
      int tagsFrom = page.get(row, RowPage.TAGS);
      int type = page.get(row, RowPage.TYPE);
      int source = page.get(row, RowPage.SOURCE);
      int optionsFrom = page.get(row, RowPage.OPTIONS);
      KernelText root = roots.get(text, page.get(row, RowPage.ROOT), path - 1);
      return new MountRecord(
          new MountRef(
              RowPage.path(text, path, flagsFrom - 1),
              bootId,
              names.identity(place, id, device, root)),
          id,
          parent,
          names.uniqueParent(place),
          device,
          root,
          flags.get(text, flagsFrom, tagsFrom - 1),
          propagation(text, tagsFrom, type - "- ".length()),
          types.get(text, type, source - 1),
          sources.get(text, source, optionsFrom - 1),
          options.get(text, optionsFrom, page.get(row, RowPage.END)));
    }

    private static KernelText name(byte[] escaped) {
      return KernelText.ofBytes(RowFields.unescape(escaped));
    }

    private DeviceId device(int major, int minor) {
      if (major != lastDevice.major() || minor != lastDevice.minor()) {
        lastDevice = new DeviceId(major, minor);
      }
      return lastDevice;
    }

    private Propagation.Tags propagation(byte[] text, int from, int dash) {
      return from == dash ? Propagation.Tags.PRIVATE : tags.get(text, from, dash - 1);
    }
  }

  /**
   * A small cache of values by their text, for texts that many rows share. It drops entries freely
   * and never grows.
   *
   * @param <T> the value of a text
   */
  private static final class SharedTexts<T> {

    private static final int SLOTS = 256;

    /** Longer texts are kept only until the next one. */
    private static final int LONGEST = 512;

    /** The slot depends on the length and this many bytes at the end, where paths differ. */
    private static final int HASHED = 12;

    private static final class Known<T> {
      final byte[] text;
      final T meaning;

      Known(byte[] text, T meaning) {
        this.text = text;
        this.meaning = meaning;
      }

      boolean is(byte[] bytes, int from, int to) {
        return Arrays.equals(text, 0, text.length, bytes, from, to);
      }
    }

    private final Function<byte[], T> reader;

    private final @Nullable Known<T>[] slots;
    private @Nullable Known<T> last;

    /** Creates a cache for this function. */
    @SuppressWarnings({
      "unchecked",
      "rawtypes"
    }) // an array of a generic type can only be created so
    SharedTexts(Function<byte[], T> reader) {
      this.reader = reader;
      this.slots = new Known[SLOTS];
    }

    /** Returns the value of these bytes. */
    T get(byte[] bytes, int from, int to) {
      Known<T> known = last;
      if (known == null || !known.is(bytes, from, to)) {
        known = find(bytes, from, to);
        last = known;
      }
      return known.meaning;
    }

    private Known<T> find(byte[] bytes, int from, int to) {
      int hash = to - from;
      for (int i = Math.max(from, to - HASHED); i < to; i++) {
        hash = hash * 31 + bytes[i];
      }
      int slot = (hash ^ hash >>> 8 ^ hash >>> 16) & (SLOTS - 1);
      Known<T> known = slots[slot];
      if (known == null || !known.is(bytes, from, to)) {
        byte[] text = Arrays.copyOfRange(bytes, from, to);
        known = new Known<>(text, reader.apply(text));
        if (text.length <= LONGEST) {
          slots[slot] = known;
        }
      }
      return known;
    }
  }
}
