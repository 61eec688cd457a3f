import { Section } from "../../ui/section/Section";
import { NodePage } from "../PagePanel";
import type { Panel } from "../panel";
import { Linked } from "./Linked";

export const netcdf: Panel = {
  name: "netcdf",
  title: "netCDF",
  sections: { fill: "missing", glossary: "glossary" },
  View: (props) => (
    <div class="nzx-sections" tabIndex={0}>
      <Section name="cdl" title="CDL and document" note="point at a line to see where it comes from" open>
        <Linked path={props.path} />
      </Section>
      <Section
        name="concepts"
        title="From netCDF to NZ"
        note="what each concept of the NUG becomes, with the names of this dataset"
        open
      >
        <NodePage {...props} name="concepts" />
      </Section>
      {props.row?.kind === "array" && (
        <Section name="role" title="Role" note="why it is, or is not, a dimension coordinate">
          <NodePage {...props} name="role" />
        </Section>
      )}
      <Section
        name="missing"
        title="Missing values"
        note="try a value: what do NUG, NZ, xarray and Zarr make of it?"
      >
        <NodePage {...props} name="fill" />
      </Section>
      <Section name="glossary" title="Glossary" note="its terms are underlined wherever they appear">
        <NodePage {...props} name="glossary" />
      </Section>
    </div>
  ),
};
