"""What a task claims of attacks and of odd but honest trees."""

from collections.abc import Callable

from kaiju_tasks import attacks, honest
from kaiju_tasks.campaign.attacking import attack
from kaiju_tasks.campaign.ground import Ground
from kaiju_tasks.campaign.honesty import play
from kaiju_tasks.claim import Claim


async def campaign_claims(ground: Ground, note: Callable[[str], None]) -> list[Claim]:
    """Grade every attack and every odd tree of the ground's language. Raises SandboxFault."""
    language = ground.suite.language
    tried = await attack(ground, attacks.of(language).values(), note, careless=False)
    made = [row for row in tried if not row.not_applicable]
    won = [f"{row.name} ({row.reward} {'; '.join(row.escaped)})" for row in made if not row.stopped]
    played = await play(ground, honest.of(language).values(), note)
    odd = [row for row in played if not row.not_applicable]
    hurt = [f"{row.name} ({row.reward}: {row.cause})" for row in odd if not row.unharmed]
    where = f"on {len(ground.suite.modules)} modules"
    return [
        Claim(
            name="attacks earn nothing",
            holds=not won,
            detail=f"won: {', '.join(won)}" if won else f"{len(made)} graded {where}",
        ),
        Claim(
            name="odd but honest work is paid",
            holds=not hurt,
            detail=f"hurt: {', '.join(hurt)}" if hurt else f"{len(odd)} graded {where}",
        ),
    ]
