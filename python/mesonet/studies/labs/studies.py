"""The student's laboratory as five studies, by name."""

from mesonet.studies.labs.decrease import AIAD_STUDY, AIMD56_STUDY
from mesonet.studies.labs.sharing import COMPETING_STUDY, RTT_STUDY
from mesonet.studies.labs.standard import RENO_STUDY

STUDIES = {
    study.name: study
    for study in (RENO_STUDY, AIAD_STUDY, AIMD56_STUDY, COMPETING_STUDY, RTT_STUDY)
}
